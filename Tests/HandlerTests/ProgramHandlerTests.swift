import Foundation
import TestEnvironment
import Testing

/// Programs that look after a signal themselves: their handlers go first, and do what they would have done.
@Suite(.serialized) struct ProgramHandlerTests {
  static let orders = ["before", "after"]
  private static let isFull = tests_are_full()

  /// A repair is no crash, however it is made and however often.
  @Test(
    arguments: [
      "repair", "repair-nodefer", "repair-resethand", "repair-onstack", "repair-by-signal", "repair-often",
      "repair-refused-stack", "repair-refused-clock",
      "repair-bus-often", "repair-code-often", "skip-often", "jump-often", "jump-then-exit", "abort-handler-jumps",
      "raise-handler-returns", "ignored-sent", "large-handler", "nested", "nested-other", "handler-ends-thread",
      "own-actions", "abort-handler-sends-elsewhere", "raise-after-abort", "ignored-after-abort",
    ], orders)
  func programsThatGoOnAreLeftAlone(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(with.errors == without.errors)
    #expect(try with.reportFiles().isEmpty)
    guard case .exited = without.end else {
      Issue.record("the probe itself ended by \(without.end)")
      return
    }
  }

  #if arch(x86_64)
    /// The kernel hands over all three there, whether a handler asks for them or not.
    @Test(arguments: orders) func aHandlerWithoutSiginfoHasItsThreeArguments(_ order: String) throws {
      let without = try HandlerProbe("arguments-without-siginfo", [order], enabled: false)
      let with = try HandlerProbe("arguments-without-siginfo", [order])
      #expect(without.end == .exited(7), "\(without.errors)")
      #expect(with.end == without.end, "\(with.errors)")
      #expect(with.output == without.output)
    }
  #endif

  /// A handler is preempted, left by a switch of contexts, and goes on later, perhaps on another thread. Or it returns
  /// before the fault is repaired, and is called again.
  @Test(
    arguments: [
      "green-repairs", "green-repairs-nodefer", "green-repairs-moving", "green-repairs-moving-nodefer",
      "green-ends-blocked",
      "late-repair-by-another", "late-repair-by-count", "late-repair-by-process", "late-tries", "late-jump",
      "overflows-below-alternate",
    ] + (isFull ? ["late-repairs-undone"] : []), orders)
  func handlersThatAreLeftGoOnLater(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false, seconds: 60)
    let with = try HandlerProbe(name, [order], seconds: 60)
    #expect(without.end == .exited(7))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(with.errors == without.errors)
    #expect(try with.reportFiles().isEmpty)
  }

  /// As on a slow machine: a tick is over before the thread gets any further.
  @Test func handlersThatAreLeftAtOnceGoOnLater() throws {
    for enabled in [false, true] {
      let run = try HandlerProbe(
        "green-repairs-moving", enabled: enabled, environment: ["PROBE_TICK_NS": "1000"], seconds: 60)
      #expect(run.end == .exited(7))
      #expect(try run.reportFiles().isEmpty)
    }
  }

  /// The first one's exit ends the process, with its report.
  @Test func handlersThatExitTogetherLeaveOneReport() throws {
    for _ in 0..<20 {
      let run = try HandlerProbe("handlers-exit-together")
      #expect(run.end == .exited(3))
      #expect(try run.report().signal.name == "SIGSEGV")
    }
  }

  /// A handler that ends the process does so as it would have, and the report is of the fault that it was called for.
  @Test(
    arguments: [
      "restore-return", "restore-raise", "restore-raise-nodefer", "restore-kill", "handler-aborts", "handler-exits",
      "handler-exits-under-timer", "handler-exits-beside-alarm", "handler-exits-at-once", "handler-exits-quickly",
      "handler-raises-and-exits",
      "handler-crashes", "handler-crashes-otherwise", "resethand-returns", "ignored-fault", "own-small-stack",
    ], orders)
  func endsInAHandlerAreReported(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    let report = try with.report()
    #expect(report.signal.name == "SIGSEGV")
    #expect(report.signal.codeName == "SEGV_ACCERR")
    #expect(report.capture.cutShort.isEmpty)
    #expect(report.threads.first?.stackEnd == "entry")
  }

  /// Without CrashKit the program would hang for ever.
  @Test(arguments: orders) func aHandlerThatMendsNothingEndsInAReport(_ order: String) throws {
    let with = try HandlerProbe("handler-returns", [order])
    #expect(with.end == .killed(signal: SIGSEGV))
    #expect(try with.report().signal.codeName == "SEGV_ACCERR")
  }

  @Test(arguments: ["abort-handler-returns", "abort-ignored", "abort-ignored-beside-data"], orders)
  func abortEndsTheProcessIfTheHandlerReturns(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.report().signal.name == "SIGABRT")
  }

  /// The handler that the first one has put in its place is called before `abort` ends the process.
  @Test(arguments: orders) func abortCallsTheNextHandler(_ order: String) throws {
    let without = try HandlerProbe("abort-handler-raises-again", [order], enabled: false)
    let with = try HandlerProbe("abort-handler-raises-again", [order])
    #expect(without.output == "first handler\nlast handler \(SIGABRT)\n")
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.report().signal.name == "SIGABRT")
  }

  /// The handler lets itself be called once more by `kill`, and then `abort` ends the process.
  @Test(arguments: orders) func abortEndsTheProcessAfterAHandlerThatKills(_ order: String) throws {
    let without = try HandlerProbe("abort-handler-kills-again", [order], enabled: false)
    let with = try HandlerProbe("abort-handler-kills-again", [order])
    #expect(without.output == "call 1\ncall 2\n")
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.report().signal.name == "SIGABRT")
  }

  /// A runtime opens the signal by a system call of its own, which nothing interposed sees.
  @Test(arguments: orders) func aSignalThatASystemCallUnblocksKills(_ order: String) throws {
    let without = try HandlerProbe("abort-opened-by-call", [order], enabled: false)
    let with = try HandlerProbe("abort-opened-by-call", [order])
    #expect(without.end == .killed(signal: SIGABRT))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.report().signal.name == "SIGABRT")
  }
}
