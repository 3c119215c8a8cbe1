import Foundation
import TestEnvironment
import Testing

/// Filters of system calls whose answers would end the thread or the process.
@Suite(.serialized) struct BarredCallTests {
  private static let full = tests_are_full()
  private static let calls =
    full
    ? (try? HandlerProbe("answered-calls").output.split(separator: "\n").map(String.init)) ?? []
    : ["openat", "timer_create", "rt_sigaction"]

  /// Whose filter it is: the crashing thread's, that of the thread that created it, or all threads'.
  private static let reaches = full ? ["thread", "new", "all"] : ["thread"]

  /// Without these calls, no file can be opened, and nothing written.
  private static let withoutFile = ["openat", "write"]

  /// Without this call, CrashKit cannot list the threads.
  private static let withoutThreads = ["getdents64"]

  /// Without this call, other threads cannot be asked for their stacks.
  private static let withoutStacks = ["rt_sigaction"]

  /// pthread_create would wait for a thread that was killed as it began, without CrashKit too.
  private static let endsNoThread = ["rt_sigprocmask"]

  private func expectReport(_ name: String, _ call: String, _ reach: String) throws {
    let run = try HandlerProbe(name, environment: ["PROBE_CALL_NAME": call, "PROBE_REACH": reach])
    #expect(run.end == .killed(signal: SIGSEGV), "\(run.errors.suffix(400))")
    #expect(run.seconds < 2)
    guard !Self.withoutFile.contains(call) else { return }
    let report = try run.report()
    #expect(report.signal.name == "SIGSEGV")
    let threads = Self.withoutThreads.contains(call) ? 1 : reach == "new" ? 3 : 2
    #expect(report.threads.count == threads)
    let stacks = Self.withoutStacks.contains(call) ? report.threads.prefix(1) : report.threads[...]
    #expect(stacks.allSatisfy { $0.stackEnd == "entry" })
  }

  /// The kernel would end the crashed thread alone, and the process would go on without it.
  @Test(arguments: calls, reaches) func aFilterThatKillsTheThreadCostsNoReport(_ call: String, _ reach: String) throws {
    guard reach != "new" || !Self.endsNoThread.contains(call) else { return }
    try expectReport("filtered-by-threads-death", call, reach)
  }

  @Test(arguments: calls) func aFilterThatKillsTheProcessCostsNoReport(_ call: String) throws {
    try expectReport("filtered-by-process-death", call, "thread")
  }

  @Test func withoutAFileTheReportIsOnStandardError() throws {
    let run = try HandlerProbe(
      "filtered-by-threads-death", environment: ["PROBE_CALL_NAME": "openat", "PROBE_REACH": "thread"])
    #expect(run.errors.contains("crashkit-report "))
    #expect(run.errors.contains(" end "))
  }

  /// The process ends at once, and as it would without CrashKit.
  @Test(
    arguments: [
      "crash-in-sandbox", "crash-in-strict-mode", "lives-in-sandbox", "asks-for-filters", "signals-come-with-filter",
      "abort-without-actions", "abort-with-own-signals-only", "own-stack-is-forbidden", "timer-thread-is-filtered",
    ])
  func aSandboxedProgramEndsAsWithoutUs(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let with = try HandlerProbe(name)
    #expect(with.end == without.end, "\(with.errors.suffix(400))")
    #expect(with.seconds < 2)
  }

  @Test(arguments: ["crash-after-refused-filter", "crash-filtered-by-syscall", "abort-without-actions"])
  func theReportIsWhole(_ name: String) throws {
    let run = try HandlerProbe(name)
    #expect(run.end == .killed(signal: name.hasPrefix("abort") ? SIGABRT : SIGSEGV))
    #expect(try run.report().capture.cutShort.isEmpty)
  }

  /// What is read from the rules is what the kernel does: filters made by chance.
  @Test func rulesMeanWhatTheKernelMakesOfThem() throws {
    let run = try HandlerProbe("filters-by-chance", environment: ["PROBE_TIMES": Self.full ? "400" : "50"])
    #expect(run.end == .exited(7), "\(run.errors.suffix(400))")
  }

  @Test func filtersAtTheLimitsAreRead() throws {
    let run = try HandlerProbe("filters-at-the-limits")
    #expect(run.end == .exited(7), "\(run.errors.suffix(400))")
    #expect(run.seconds < 2)
  }
}
