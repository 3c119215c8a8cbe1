import Foundation
import TestEnvironment
import Testing

/// The stacks that the program's handlers run on, and the ends of those for which a stack is too small.
@Suite(.serialized) struct SignalStackTests {
  /// On the interrupted stack or on the alternate one, with all of its room, and with the program's stack in the context.
  @Test(
    arguments: [
      "fault-place", "fault-place-on-stack", "fault-place-off-stack", "fault-place-no-stack", "sent-place",
      "sent-place-on-stack", "sent-place-off-stack", "sent-place-no-stack", "nested-places", "sent-masks",
      "jump-deeper", "jump-deeper-nodefer", "nested-deep", "nested-deep-other", "stack-replaced",
    ], ["before", "after"])
  func aHandlerRunsWhereTheKernelWouldRunIt(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(with.end == .exited(7), "\(with.errors)")
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.reportFiles().isEmpty)
  }

  /// Of each size of alternate stack, in steps of 8 KiB.
  @Test(arguments: ["before", "after"]) func noFewerHandlersFitInsideEachOther(_ order: String) throws {
    let without = try HandlerProbe("nested-room", [order], enabled: false)
    let with = try HandlerProbe("nested-room", [order])
    #expect(with.end == .exited(7), "\(with.errors)")
    let native = without.output.split(separator: "\n").compactMap { Int($0) }
    let ours = with.output.split(separator: "\n").compactMap { Int($0) }
    #expect(native.count == 8 && native[0] >= 1 && native[7] > native[0])
    #expect(ours.count == native.count && zip(ours, native).allSatisfy { $0 >= $1 }, "\(ours) of \(native)")
    #expect(try with.reportFiles().isEmpty)
  }

  /// The alternate stack is gone: the kernel kills by SIGSEGV, whatever signal came. The report is of what came.
  @Test(
    arguments: [
      ("no-room-for-undefined", "SIGILL"), ("no-room-for-abort", "SIGABRT"), ("no-room-for-sent", "SIGBUS"),
    ], ["before", "after"])
  func aHandlerWithoutRoomEndsAsWithoutCrashKit(_ row: (name: String, signal: String), _ order: String) throws {
    let without = try HandlerProbe(row.name, [order], enabled: false)
    let with = try HandlerProbe(row.name, [order])
    #expect(without.end == .killed(signal: SIGSEGV))
    #expect(with.end == without.end, "\(with.errors)")
    #expect(try with.report().signal.name == row.signal)
  }

  /// Each handler calls the next one, until the thread's stack ends: more of them than CrashKit has signal stacks.
  @Test(
    arguments: [("aborts-again", "SIGABRT"), ("raises-again", "SIGBUS"), ("faults-again", "SIGSEGV")],
    ["before", "after"])
  func handlersWithoutEndEndAsWithoutCrashKit(_ row: (name: String, signal: String), _ order: String) throws {
    let without = try HandlerProbe(row.name, [order], enabled: false)
    let with = try HandlerProbe(row.name, [order])
    #expect(without.end == .killed(signal: SIGSEGV))
    #expect(with.end == without.end, "\(with.errors)")
    #expect(try with.report().signal.name == row.signal)
  }

  /// A fault costs about the same however many handlers were left before it, each from another depth.
  @Test func handlersThatWereLeftCostLittle() throws {
    let run = try HandlerProbe("jump-from-depths", seconds: 60)
    #expect(run.end == .exited(7), "\(run.errors)")
    let tenths = try #require(run.output.firstMatch(of: /: ([0-9]+) tenths/)?.1, "\(run.output)")
    #expect(try #require(Int(tenths)) < 60, "\(run.output)")
  }

  /// A handler runs off the alternate stack. The kernel gives that to the next one, which jumps out and saves the program.
  @Test(arguments: ["overflow-saved", "overflow-saved-nodefer"], ["before", "after"])
  func aJumpOutOfAHandlersOverflowSavesTheProgram(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(without.end == .exited(7), "\(without.errors)")
    #expect(with.end == without.end, "\(with.errors)")
    #expect(with.output == without.output)
    #expect(try with.reportFiles().isEmpty)
  }

  /// The same without CrashKit in the program.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: SignalSafetyTests.preloadLibrary)),
    arguments: ["overflow-saved", "overflow-saved-nodefer"])
  func aJumpOutOfAHandlersOverflowSavesTheProgramUnderThePreloadLibrary(_ name: String) throws {
    let with = try HandlerProbe(
      name, environment: ["LD_PRELOAD": SignalSafetyTests.preloadLibrary, "PROBE_PRELOAD": "yes"])
    #expect(with.end == .exited(7), "\(with.errors)")
    #expect(with.output == "20 faults, all done\n")
    #expect(try with.reportFiles().isEmpty)
    let again = try HandlerProbe(
      "overflow-again-and-again",
      environment: ["LD_PRELOAD": SignalSafetyTests.preloadLibrary, "PROBE_PRELOAD": "yes"])
    #expect(again.end == .killed(signal: SIGSEGV))
    #expect(try again.report().causeCode == "stackOverflow")
  }

  /// Without CrashKit the kernel would begin again for ever.
  @Test(arguments: ["before", "after"]) func aHandlerThatAlwaysOverflowsEndsInAReport(_ order: String) throws {
    let with = try HandlerProbe("overflow-again-and-again", [order])
    #expect(with.end == .killed(signal: SIGSEGV))
    #expect(try with.report().causeCode == "stackOverflow")
  }

  /// Stacks of every size with and without a guard, on the main thread and on others: a handler on them crashes, raises,
  /// returns, exits, jumps or overflows. The process ends as it would without CrashKit, at once, and with its report.
  @Test func aHandlerOnAnyStackEndsAsWithoutCrashKit() throws {
    try expectNoDifference(step: Self.step)
  }

  /// The sizes of AVX-512 and of AMX, as far as they are computed. The kernel's own frames stay as this machine's are.
  @Test(arguments: [3376, 11_952])
  func aHandlerOnAnyStackEndsAsWithoutCrashKit(whereTheLeastSizeIs size: Int) throws {
    let launcher = [HandlerProbe.program, "with-minsigstksz", String(size)]
    let check = try HandlerProbe("say-minsigstksz", wrapper: launcher)
    try #require(check.output == "\(size)\n", "\(check.errors)")
    try expectNoDifference(step: "32768", wrapper: launcher)
  }

  /// A program that CrashKit is only preloaded into.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: SignalSafetyTests.preloadLibrary)))
  func aHandlerOnAnyStackEndsAsWithoutThePreloadLibrary() throws {
    try expectNoDifference(step: "32768", environment: ["PROBE_PRELOAD": SignalSafetyTests.preloadLibrary])
  }

  private static let step = tests_are_full() ? "512" : "32768"

  private func expectNoDifference(step: String, environment: [String: String] = [:], wrapper: [String] = []) throws {
    // The loader's own look for a name takes more stack than these have. A handler with SA_NODEFER that overflows in it
    // begins again without CrashKit, each time with one name more, until exit needs none.
    let fixed = ["PROBE_STEP": step, "LD_BIND_NOW": "1"]
    let run = try HandlerProbe(
      "stack-matrix", environment: environment.merging(fixed) { $1 }, seconds: 900, wrapper: wrapper)
    #expect(run.end == .exited(7), "\(run.output.suffix(2000))")
    let rows = try #require(run.output.firstMatch(of: /([0-9]+) rows, 0 differ/)?.1, "\(run.output.suffix(2000))")
    #expect(try #require(Int(rows)) > 400)
  }
}
