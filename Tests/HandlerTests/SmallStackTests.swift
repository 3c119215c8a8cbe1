import Foundation
import TestEnvironment
import Testing

/// Handlers on small alternate stacks, and filters that refuse the calls with which stacks and actions are set.
@Suite(.serialized) struct SmallStackTests {
  /// The program sets the stack by the system call itself, and CrashKit's handler begins where the program's would.
  @Test(
    .enabled(if: tests_are_full()),
    arguments: [[:], ["PROBE_PRELOAD": SignalSafetyTests.preloadLibrary]])
  func aStackThatWasSetPastLibc(_ preload: [String: String]) throws {
    let fixed = ["PROBE_RAW": "yes", "PROBE_STEP": "32768", "LD_BIND_NOW": "1"]
    let run = try HandlerProbe("stack-matrix", environment: preload.merging(fixed) { $1 }, seconds: 900)
    #expect(run.end == .exited(7), "\(run.output.suffix(2000))")
    #expect(run.output.contains(/[1-9][0-9]+ rows, 0 differ/), "\(run.output.suffix(2000))")
  }

  /// Not by a fault: the kernel refuses to begin one more, and calls no handler of SIGSEGV there either.
  @Test(arguments: ["nested-off-stack", "nested-off-stack-handled"], ["before", "after"])
  func handlersThatNestUntilTheStackEnds(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(without.end == .killed(signal: SIGSEGV))
    #expect(with.end == without.end, "\(with.errors)")
    #expect(try with.report().causeCode == "stackOverflow")
  }

  /// Each coroutine has its own stack, and goes on in the handler in which it yielded.
  @Test(arguments: ["yields-in-faults", "yields-in-both"], ["before", "after"])
  func coroutinesThatYieldInHandlers(_ name: String, _ order: String) throws {
    try expectNoDifference(name, order)
  }

  /// Each size has room for both handlers.
  @Test(arguments: ["before", "after"]) func aHandlerInAnotherOnARawStack(_ order: String) throws {
    try expectNoDifference("raw-stack-steps", order)
  }

  @Test(arguments: ["abort-without-stacks", "abort-without-stacks-emulated"])
  func anAbortWhileSigaltstackIsTrapped(_ name: String) throws {
    let with = try HandlerProbe(name)
    #expect(with.end == .killed(signal: SIGABRT), "\(with.errors)")
    let report = try with.report()
    #expect(report.signal.name == "SIGABRT" && report.capture.cutShort.isEmpty)
  }

  @Test(arguments: ["actions-emulated", "settings-emulated"]) func anEmulatorOfSigaction(_ name: String) throws {
    try expectNoDifference(name, "after")
  }

  private func expectNoDifference(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(without.end == .exited(7), "\(without.errors)")
    #expect(with.end == without.end, "\(with.errors)")
    #expect(with.output == without.output)
    #expect(try with.reportFiles().isEmpty)
  }
}
