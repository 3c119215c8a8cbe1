import Foundation
import TestEnvironment
import Testing

/// Filters of system calls that answer otherwise than the kernel does.
@Suite(.serialized) struct AnsweredCallTests {
  private static let full = tests_are_full()
  private static let calls =
    (try? HandlerProbe("answered-calls").output.split(separator: "\n").map(String.init)) ?? []
  private static let answers = ["signal", "done"] + (full ? ["ENOSYS", "EPERM", "EINTR", "EAGAIN"] : [])

  /// Without names the tests below would have nothing to do.
  @Test func callsAreKnown() {
    #expect(Self.calls.count > 30)
  }

  /// A signal, an error, or as if the call were done: the process ends, and of its own signal.
  @Test(arguments: calls) func theProcessEndsForEveryAnswerOfACall(_ call: String) throws {
    for answer in Self.answers {
      let run = try HandlerProbe("answered", environment: ["PROBE_CALL_NAME": call, "PROBE_ANSWER": answer])
      #expect(run.end == .killed(signal: SIGSEGV), "\(answer): \(run.errors.suffix(400))")
    }
  }

  /// A program that may not ask who it is, or is told 0.
  @Test(arguments: ["getpid", "gettid"], answers) func idsAreKnownWhateverTheCallsAnswer(
    _ call: String, _ answer: String
  ) throws {
    let run = try HandlerProbe("answered", environment: ["PROBE_CALL_NAME": call, "PROBE_ANSWER": answer])
    let report = try run.report()
    #expect(report.signal.name == "SIGSEGV")
    #expect(report.threads.count == 2)
    #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
    #expect(report.process?.pid == report.threads.first?.id)
  }

  /// The finished report has its name, whatever the first way to rename it answers.
  @Test(arguments: ["EINTR", "EAGAIN"]) func anInterruptedRenameIsRepeated(_ answer: String) throws {
    let run = try HandlerProbe("answered", environment: ["PROBE_CALL_NAME": "renameat2", "PROBE_ANSWER": answer])
    _ = try run.report()
  }

  /// A filter that kills for what the program does not do itself.
  @Test(arguments: calls) func noCallIsAddedThatAFilterWouldKillFor(_ call: String) throws {
    let without = try HandlerProbe("healthy", enabled: false, environment: ["PROBE_CALL_NAME": call])
    let with = try HandlerProbe("healthy", environment: ["PROBE_CALL_NAME": call])
    #expect(with.end == without.end, "\(with.end), and \(without.end) without CrashKit")
  }
}
