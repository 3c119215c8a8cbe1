import Foundation
import Testing

/// Threads that wait in a call while a signal of a fault comes.
@Suite(.serialized) struct InterruptionTests {
  /// A handler ends the program. No other thread goes on first, as if its wait had been broken off.
  @Test(
    arguments: ["exit-beside-wait", "exit-at-once-beside-wait", "exit-quickly-beside-wait"],
    ["sleep", "nanosleep", "poll", "pause", "epoll", "semaphore", "read"])
  func anExitComesBeforeOtherThreads(_ name: String, _ call: String) throws {
    let without = try HandlerProbe(name, ["after", call], enabled: false)
    let with = try HandlerProbe(name, ["after", call])
    #expect(without.end == .exited(3))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.report().signal.name == "SIGSEGV")
  }

  /// A function that `exit` runs waits for a lock that a stopped thread holds.
  @Test func functionsOfExitFindOtherThreadsRunning() throws {
    let without = try HandlerProbe("exit-needs-other-thread", enabled: false)
    let with = try HandlerProbe("exit-needs-other-thread")
    #expect(without.end == .exited(3))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.report().signal.name == "SIGSEGV")
  }

  /// What the program ignores or blocks ends no call; nor does a handler with `SA_RESTART` if the kernel restarts it.
  @Test(
    arguments: ["ignored", "blocked", "handled"].flatMap { what in
      [SIGSEGV, SIGABRT, SIGTRAP].map { (what, $0) }
    }, ["read", "poll", "ppoll", "select", "epoll", "semaphore"])
  func noSignalEndsAWaitThatGoesOnWithoutCrashKit(_ signal: (what: String, number: Int32), _ call: String) throws {
    let arguments = ["after", signal.what, String(signal.number), call]
    let without = try HandlerProbe("signal-in-a-wait", arguments, enabled: false)
    let with = try HandlerProbe("signal-in-a-wait", arguments)
    #expect(without.end == .exited(7))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.reportFiles().isEmpty)
  }

  /// A handler sends the process its end, which another thread has open: the process ends though the handler waits. The
  /// report is of the fault, if the kernel gives the signal to the handler's thread.
  @Test(arguments: ["own-end", "own-end-by-another-signal", "own-end-of-thread"])
  func aHandlersOwnEndComesAtOnce(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let with = try HandlerProbe(name)
    #expect(with.end == without.end && with.end == .killed(signal: name.hasSuffix("signal") ? SIGBUS : SIGSEGV))
    let report = try with.report()
    #expect(report.signal.name == "SIGSEGV" && report.threads.first?.crashed == true)
    if name != "own-end-of-thread" { #expect(report.signal.codeName == "SEGV_MAPERR") }
  }

  /// Sent to the process, a signal reaches the thread that takes it, though other threads block it too.
  @Test(arguments: ["sigwait", "signalfd"], [SIGSEGV, SIGILL, SIGTRAP, SIGSYS])
  func aSignalSentToTheProcessIsTaken(_ way: String, _ signal: Int32) throws {
    let arguments = ["after", way, String(signal)]
    let without = try HandlerProbe("sent-to-blocking-threads", arguments, enabled: false)
    let with = try HandlerProbe("sent-to-blocking-threads", arguments)
    #expect(without.end == .exited(7))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(try with.reportFiles().isEmpty)
  }
}
