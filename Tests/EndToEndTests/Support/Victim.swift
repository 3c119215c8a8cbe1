import Foundation
import Testing

/// A program that was made to die, with the folder of its reports.
struct Victim {
  let run: ProgramRun
  let folder: TemporaryFolder

  /// Runs `command` with its reports in a folder of their own.
  init(_ command: [String], environment: [String: String?] = [:], seconds: Double = 60) throws {
    folder = try TemporaryFolder()
    let own: [String: String?] = [
      "CRASHKIT_DIRECTORY": folder.url.path, "CRASHKIT_OPTIONS": nil, "SWIFT_BACKTRACE": nil,
    ]
    run = try ProgramRun.run(command, environment: own.merging(environment) { $1 }, seconds: seconds)
  }

  /// The path of the one report that there must be.
  func reportPath(sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> String {
    let paths = try folder.files(endingWith: ".json")
    let said = Comment(rawValue: "the program ended with \(run.end) and said: \(run.standardError)")
    try #require(paths.count == 1, said, sourceLocation: sourceLocation)
    #expect(try folder.files(endingWith: ".partial").isEmpty, said, sourceLocation: sourceLocation)
    return paths[0]
  }

  /// The one report, which must be valid by the schema and readable by its owner alone.
  func report(sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> ProducedReport {
    let path = try reportPath(sourceLocation: sourceLocation)
    try expectValid(path, sourceLocation: sourceLocation)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600, sourceLocation: sourceLocation)
    let report = try ProducedReport(path: path)
    try #require(!report.threads.isEmpty, "\(path) has no thread", sourceLocation: sourceLocation)
    return report
  }

  /// The one report with its frames filled in by `crashsym --format json`.
  func symbolicatedReport(sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> ProducedReport {
    let path = try reportPath(sourceLocation: sourceLocation)
    let run = try ProgramRun.run([Products.crashsym, "--format", "json", path])
    try #require(run.end == .exited(0), Comment(rawValue: run.standardError), sourceLocation: sourceLocation)
    return try ProducedReport(text: run.standardOutput)
  }
}
