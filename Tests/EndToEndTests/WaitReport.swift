import Foundation
import Testing

/// What a report says of waiting threads, whoever made it.
struct WaitReport: Decodable {
  var threads: [ProducedReport.Thread]
  var deadlock: ProducedReport.Deadlock?

  /// The report of a running program that has CrashKit in it.
  static func ofCapture(_ pid: String) throws -> Self {
    let run = try ProgramRun.run([Products.crashsym, "capture", "--format", "json", pid])
    try #require(run.end == .exited(0), "\(run.standardError)")
    return try JSONDecoder().decode(Self.self, from: Data(run.standardOutput.utf8))
  }

  /// The report of a program of this target that crashes under `crashsym run`, and how `crashsym` shows it.
  static func ofDeath(
    _ source: String, _ kind: String, options: [String] = []
  ) throws -> (ProducedReport, String) {
    let folder = try TemporaryFolder()
    let program = try Compiler.compile(source, into: folder, options: options)
    let victim = try Victim([Products.crashsym, "run", "--", program, kind])
    let shown = try ProgramRun.run([Products.crashsym, try victim.reportPath()])
    return (try victim.report(), shown.standardOutput)
  }
}
