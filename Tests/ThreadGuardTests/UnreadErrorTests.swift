import Foundation
import Testing

/// Programs whose standard error nobody reads: ThreadGuard drops its messages, and the program goes on.
struct UnreadErrorTests {
  /// What `Tests/Helpers/unread.py` prints.
  private struct Outcome: Decodable {
    var status: Int32
    var seconds: Double
    var keepsFlags: Bool
    var output: [String]
    var errors: String
  }

  private func run(_ kind: String, _ program: String, _ arguments: [String], options: String) throws -> (
    outcome: Outcome, reports: [String]
  ) {
    let helper = ViolationProbe.tests.appending(path: "Helpers/unread.py").path
    let path = ProgramRun.products.appending(path: program).path
    let run = try ProgramRun(
      "/usr/bin/python3", [helper, kind, path] + arguments, environment: ["THREADGUARD_OPTIONS": options])
    return (try JSONDecoder().decode(Outcome.self, from: Data(run.output.utf8)), run.reports)
  }

  @Test(arguments: ["pipe", "socket", "terminal"])
  func `messages are dropped, counted and reported when the pipe is read again`(_ kind: String) throws {
    let (outcome, reports) = try run(kind, "violation-probe", ["unread", "20"], options: "summary=no")
    #expect(outcome.status == 0)
    #expect(outcome.seconds < 5)
    #expect(outcome.keepsFlags)
    #expect(reports.count == 21)
    let lines: [Substring] = outcome.errors.split { $0.isNewline }
      .map { line in line.firstRange(of: "]: ").map { line[$0.upperBound...] } ?? line }
    #expect(lines.first == "20 messages were dropped: standard error was full", "\(lines)")
    #expect(lines.dropFirst().first?.hasPrefix("nan: 0 divided by 0") == true, "\(lines)")
  }

  @Test func `a closed pipe neither ends nor delays the program`() throws {
    let (outcome, reports) = try run("closed", "violation-probe", ["unread", "20"], options: "")
    #expect(outcome.status == 0)
    #expect(reports.count == 21)
  }

  @Test(arguments: ["pipe", "closed", "socket", "terminal"])
  func `a preloaded program takes its locks, ends, and keeps its status`(_ kind: String) throws {
    for (program, count) in [
      ([ProgramRun.products.appending(path: "lock-probe").path, "inversion"], 1), (["/bin/true"], 0),
    ] {
      let arguments = ["run", "--quiet", "--thread-guard", "--"] + program
      let (outcome, reports) = try run(kind, "crashsym", arguments, options: "")
      #expect(outcome.status == 0)
      #expect(outcome.seconds < 10)
      #expect(reports.count == count)
    }
  }
}
