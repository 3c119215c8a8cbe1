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
}
