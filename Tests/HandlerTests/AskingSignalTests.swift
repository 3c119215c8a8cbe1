import Foundation
import Testing

/// `CRASHKIT_OPTIONS=on-signal=QUIT`: all threads are printed, and the program goes on as if the signal had not come.
@Suite struct AskingSignalTests {
  private static let options = "on-signal=QUIT"
  private static let preload = ["LD_PRELOAD": SignalSafetyTests.preloadLibrary, "PROBE_PRELOAD": "yes"]

  private func asked(_ name: String, _ arguments: [String] = [], preloaded: Bool = false) throws -> HandlerProbe {
    try HandlerProbe(
      name, arguments.isEmpty ? ["after"] : arguments, environment: preloaded ? Self.preload : [:],
      options: Self.options, seconds: 40)
  }

  /// How often the threads were printed.
  private func answers(_ run: HandlerProbe) -> Int {
    run.errors.split(separator: "\n").count { $0.contains("]: handler-probe goes on after SIGQUIT: ") }
  }

  private func captures(_ run: HandlerProbe) throws -> Int {
    try run.reportFiles().count { $0.lastPathComponent.hasSuffix("-capture.json") }
  }

  @Test(arguments: ["read", "epoll", "poll"], [false, true])
  func aProgramThatWaitsGoesOn(_ call: String, _ preloaded: Bool) throws {
    let run = try asked("asked-waits", ["after", call], preloaded: preloaded)
    #expect(run.end == .exited(7), "\(run.errors)")
    #expect(run.output == "\(call): 1 \n")
    #expect(answers(run) == 1)
    let lines = run.errors.split(separator: "\n").map(String.init)
    #expect(lines.first?.contains(": 4 threads") == true)
    // Each thread has a stack, but for one that a busy machine keeps from its first call.
    let heads = lines.indices.filter { lines[$0].contains("]: thread ") }
    let stacks = heads.count { lines[$0 + 1].contains("]:   0 ") }
    let silent = heads.count { lines[$0].hasSuffix(", no stack: did not answer in time") }
    #expect(heads.count == 4 && stacks >= 1 && stacks + silent == 4, "\(run.errors)")
    #expect(lines.contains { $0.contains("]: image libc.so.6 ") })
    #expect(try captures(run) == 1)
  }

  /// The handler sees what it would see without CrashKit, and so does the interrupted call.
  @Test(arguments: ["before", "after"], ["read -", "read r", "epoll r", "read rs", "read n", "read ro", "read so"])
  func aHandlerRunsAsWithoutCrashKit(_ order: String, _ how: String) throws {
    let arguments = [order] + how.split(separator: " ").map(String.init)
    let without = try HandlerProbe("asked-has-handler", arguments, enabled: false)
    for preloaded in [false, true] where !preloaded || order == "after" {
      let with = try asked("asked-has-handler", arguments, preloaded: preloaded)
      #expect(with.end == without.end && without.end == .exited(7), "\(with.errors)")
      #expect(with.output == without.output)
      #expect(answers(with) == 1)
      #expect(try captures(with) == 1)
    }
  }

  @Test(arguments: ["before", "after"], ["jumps", "exits", "exits-at-once", "dies-of-it"])
  func aHandlerMayJumpExitOrDie(_ order: String, _ what: String) throws {
    let without = try HandlerProbe("asked-special-handler", [order, what], enabled: false)
    let with = try asked("asked-special-handler", [order, what])
    #expect(with.end == without.end, "\(with.errors)")
    #expect(with.output == without.output)
    #expect(answers(with) == 1)
    // It was no crash.
    #expect(try with.reportFiles().count == captures(with))
  }

  @Test func aCrashInTheHandlerHasItsReport() throws {
    let run = try asked("asked-special-handler", ["after", "crashes"])
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(answers(run) == 1)
    #expect(try captures(run) == 1)
    #expect(try run.reportFiles().count == 2)
  }

  @Test func aCrashAfterwardsHasItsReport() throws {
    let run = try asked("asked-then-crashes")
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(answers(run) == 1)
    #expect(run.errors.contains("]: handler-probe died: "))
    #expect(try run.reportFiles().count { $0.lastPathComponent.hasSuffix("-crashReport.json") } == 1)
  }

  @Test func anIgnoredSignalStillMakesAReport() throws {
    let run = try asked("asked-ignores")
    #expect(run.end == .exited(7))
    #expect(run.output == "read: 1 \n")
    #expect(answers(run) == 1)
  }

  /// A program that takes the signal itself gets it, and nothing is printed.
  @Test(arguments: ["sigwait", "signalfd"]) func aBlockedSignalIsLeftToTheProgram(_ way: String) throws {
    let without = try HandlerProbe("asked-takes", ["after", way], enabled: false)
    let with = try asked("asked-takes", ["after", way])
    #expect(with.end == .exited(7) && without.end == .exited(7))
    #expect(with.output == without.output)
    #expect(with.errors.isEmpty, "\(with.errors)")
  }

  /// What the program sends itself does what it would do without CrashKit.
  @Test(arguments: ["raises", "process", "ignores", "handles"]) func signalsOfTheProgramWorkAsWithoutCrashKit(
    _ what: String
  ) throws {
    let without = try HandlerProbe("asked-by-itself", ["after", what], enabled: false)
    let with = try asked("asked-by-itself", ["after", what])
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(with.errors.isEmpty, "\(with.errors)")
    #expect(try with.reportFiles().isEmpty)
  }

  /// One answer may be for several signals; none comes inside another.
  @Test(arguments: ["goes-on", "counts"]) func manySignals(_ what: String) throws {
    let run = try asked("asked-often", ["after", what])
    #expect(run.end == .exited(7), "\(run.errors.suffix(2000))")
    #expect(run.output.hasSuffix(what == "counts" ? "handled\n" : "went on\n"))
    #expect((1...50).contains(answers(run)))
    #expect(try captures(run) == answers(run))
    // The last line of each answer comes before the first one of the next.
    let marks = run.errors.split(separator: "\n").compactMap { line in
      line.contains(" goes on after ") ? "begins" : line.contains("]: read it with: ") ? "ends" : nil
    }
    #expect(marks == Array(repeatElement(["begins", "ends"], count: answers(run)).joined()))
  }

  @Test func aComputingThreadIsNotDisturbed() throws {
    let run = try asked("asked-computes")
    #expect(run.end == .exited(7), "\(run.errors.suffix(2000))")
    #expect(answers(run) >= 1)
  }

  /// The thread that forks, or makes a report, does not wait for itself.
  @Test func inAForkItIsAnsweredAtOnce() throws {
    let run = try asked("asked-in-fork")
    #expect(run.end == .exited(7), "\(run.errors.suffix(2000))")
    #expect(run.output == "read: 1 \n")
    #expect(run.errors.contains("]: SIGQUIT: no threads shown: "))
  }

  /// Threads that capture and fork at the same time.
  @Test func besideCapturesAndForks() throws {
    let run = try asked("asked-beside-captures")
    #expect(run.end == .exited(7), "\(run.errors.suffix(2000))")
    #expect(run.output == "read: 1 \n")
    #expect(run.errors.contains(" goes on after SIGQUIT") || run.errors.contains("]: SIGQUIT: no threads shown: "))
  }

  /// Nobody reads standard error: the program waits 0.5 s at most.
  @Test(arguments: ["pipe", "socket", "terminal", "closed"]) func anUnreadOutputDelaysTheProgramLittle(_ kind: String)
    throws
  {
    let helper = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Helpers/unread.py").path
    let run = try HandlerProbe(
      "asked-waits", ["after", "read"], options: Self.options, seconds: 40,
      wrapper: ["/usr/bin/python3", helper, kind])
    struct Outcome: Decodable {
      var status: Int32
      var seconds: Double
      var keepsFlags: Bool
      var output: [String]
    }
    let outcome = try JSONDecoder().decode(Outcome.self, from: Data(run.output.utf8))
    #expect(outcome.status == 7 && outcome.keepsFlags && outcome.output == ["read: 1"])
    #expect(outcome.seconds < 1.9)
    #expect(try captures(run) == 1)
  }

  /// The runtime's backtracer has a handler for SIGQUIT, which would end the program.
  @Test func theRuntimesBacktracerDoesNotCountAsAHandler() throws {
    let run = try asked("asked-has-backtracer")
    #expect(run.output == "read: 1 \nbacktracer\n")
    #expect(answers(run) == 1)
    // It runs for a signal that the program sent itself.
    #expect(run.end == .exited(9))
  }

  @Test func withoutTheOptionTheSignalKills() throws {
    let run = try HandlerProbe("asked-waits", ["after", "read"])
    #expect(run.end == .killed(signal: SIGQUIT))
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: ["QUIT", "SIGQUIT", "3"]) func namesAndNumbers(_ name: String) throws {
    let run = try HandlerProbe("asked-waits", ["after", "read"], options: "summary=no,on-signal=\(name)")
    #expect(run.end == .exited(7))
    #expect(answers(run) == 1)
  }
}
