import Foundation
import Testing

/// A program without CrashKit that is looked at from outside, by the number that it prints.
struct LookedAtProgram {
  let folder: TemporaryFolder
  let running: RunningProgram
  let pid: String

  init(_ source: String, _ arguments: [String] = []) throws {
    folder = try TemporaryFolder()
    let program = try Compiler.compile(source, into: folder)
    running = try RunningProgram([program] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
    pid = try #require(running.line())
  }

  /// What a command shows of it with `--stop`.
  func look(_ command: String = "capture", _ options: [String] = []) throws -> ProgramRun {
    try ProgramRun.run([Products.crashsym, command, "--stop", pid] + options, seconds: 120)
  }

  /// The report of a look.
  func report() throws -> Report {
    let run = try look("capture", ["--format", "json"])
    try #require(run.end == .exited(0), "\(run.standardError)")
    return try JSONDecoder().decode(Report.self, from: Data(run.standardOutput.utf8))
  }

  /// What tests look at in it.
  struct Report: Decodable {
    struct Note: Decodable {
      var id: Int
      var reason: String
    }
    struct Capture: Decodable {
      var stopTime: Double
      var threads: Int
      var unanswered: [Note]?
    }
    var kind: String
    var threads: [ProducedReport.Thread]
    var deadlock: ProducedReport.Deadlock?
    var capture: Capture
  }
}
