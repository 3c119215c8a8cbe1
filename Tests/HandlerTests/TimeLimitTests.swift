import Foundation
import TestEnvironment
import Testing

/// One limit for all that the handler does, wherever it is held up. Stalls in one stage: HostileTests.
@Suite(.serialized) struct TimeLimitTests {
  private static let full = tests_are_full()
  /// Four seconds, and what starting and ending a program takes on a busy machine.
  private static let limit = 4.75

  /// Each stage is left after its time, and the next one stalls again: the process dies all the same, of its own
  /// signal.
  @Test(arguments: ["stall-everywhere"] + (full ? ["stall-with-signals-blocked", "stall-beside-crashes"] : []))
  func endsWhereEachStageStalls(_ name: String) throws {
    let run = try HandlerProbe(name)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.seconds > 2 && run.seconds < Self.limit)
  }

  private static let calls =
    ["openat"]
    + (full ? ["write", "read", "close", "getdents64", "renameat2", "process_vm_readv"] : [])

  /// A system call that never comes back, before the first stage or in any.
  @Test(arguments: calls) func endsWhereACallHangs(_ call: String) throws {
    let run = try HandlerProbe("hanging-call", environment: ["PROBE_CALL_NAME": call])
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.seconds > 1.9 && run.seconds < Self.limit)
  }

  /// A call that only a signal that kills ends, and memory that another process has to fill: a thread that waits for the
  /// report ends the process.
  @Test(arguments: [("unanswered-call", "process_vm_readv"), ("unserved-elsewhere", "")])
  func endsWhereNoSignalEndsTheCall(_ name: String, _ call: String) throws {
    let run = try HandlerProbe(name, environment: ["PROBE_CALL_NAME": call])
    guard run.end != Self.impossible else { return }
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.seconds > 4)
  }

  /// Memory that a thread of this process has to fill and does not: what is not there is left out. Without random
  /// addresses, the stack ends where all memory does.
  @Test(arguments: [[], ["/usr/bin/setarch", "-R"]]) func readsNoMemoryThatAnotherThreadMustFill(_ wrapper: [String])
    throws
  {
    let run = try HandlerProbe("unserved-page", wrapper: wrapper)
    // A container may refuse setarch.
    guard run.end != Self.impossible, wrapper.isEmpty || run.end != .exited(1) else { return }
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.capture.cutShort.isEmpty)
    #expect(report.threads.map(\.stackEnd) == ["entry"])
  }

  /// What a probe ends with if the kernel, or the rights of the user, leave no way to run it.
  private static let impossible = HandlerProbe.End.exited(77)

  /// The pause alone is longer than the limit.
  @Test func aPauseDoesNotCount() throws {
    let names = try HandlerProbe("stage-names").output.split(separator: "\n").map(String.init)
    let index = try #require(names.firstIndex(of: "other threads"))
    let run = try HandlerProbe("paused", environment: ["PROBE_STAGE": "\(index)"])
    #expect(run.end == .exited(SIGSEGV))
    let report = try run.report()
    #expect(report.capture.cutShort.isEmpty)
    #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
  }

  /// It has half a minute.
  @Test(.enabled(if: full)) func endsWhereTheRuntimesBacktracerHangs() throws {
    let run = try HandlerProbe("stall-in-runtime-handler", options: "chain=yes", seconds: 45)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.seconds > 29 && run.seconds < 33)
    _ = try run.report()
  }

  /// Whether the limit holds, without the half minute.
  @Test func theRuntimesBacktracerCanBeEnded() throws {
    let run = try HandlerProbe("limited-runtime-handler", options: "chain=yes")
    #expect(run.end == .exited(0), "\(run.errors)")
    _ = try run.report()
  }

  /// The program's own time: its handler takes longer than ours ever may, and repairs the fault.
  @Test(.enabled(if: full), arguments: ["before", "after"])
  func aProgramsHandlerHasTheTimeItTakes(_ order: String) throws {
    let without = try HandlerProbe("slow-repair", [order], enabled: false)
    let run = try HandlerProbe("slow-repair", [order])
    #expect(run.end == without.end)
    #expect(run.end == .exited(0))
    #expect(try run.reportFiles().isEmpty)
  }
}
