import Foundation
import Testing

/// Runs of previous-runs-probe in one folder of reports.
struct EndedProcess {
  static let program = Products.folder.appending(path: "previous-runs-probe").path

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var environment: [String: String?] {
    ["CRASHKIT_DIRECTORY": folder.url.path, "CRASHKIT_OPTIONS": nil, "SWIFT_BACKTRACE": "enable=no"]
  }

  /// What a report of kind `uncleanExit` says; other kinds are read as far as they have the same.
  struct Report: Decodable {
    struct Ending: Decodable {
      var classification: String
      var evidence: [String]
      var instance: String
      var status: Int?
      var unfinishedReport: String?
      var lastAlive: String?
    }
    struct Process: Decodable {
      var pid: Int32
      var name: String
      var uptime: Double?
    }
    struct Breadcrumb: Decodable {
      var message: String
      var level: String
      var attributes: [String: String]?
    }
    struct Metric: Decodable {
      var name: String
      var value: Double?
      var threshold: Double?
      var updatedAt: String?
    }
    struct Cut: Decodable {
      var what: String
      var reason: String
    }
    struct Capture: Decodable { var cutShort: [Cut]? }
    struct Signal: Decodable { var name: String }
    struct Memory: Decodable {
      struct Events: Decodable {
        var max: Int?
        var oomKill: Int?
      }
      struct Pressure: Decodable { var some: Double? }
      var limit: Int?
      var events: Events?
      var pressure: Pressure?
    }
    var memory: Memory?
    var timestamp: String
    var kind: String
    var cause: String?
    var signal: Signal?
    var ending: Ending?
    var process: Process
    var application: [String: String]
    var breadcrumbs: [Breadcrumb]
    var attributes: [String: String]
    var metrics: [Metric]
    var capture: Capture
  }

  /// Runs the probe to the end that is named.
  @discardableResult
  func end(_ how: String, options: String? = nil) throws -> ProgramRun {
    try ProgramRun.run(
      [Self.program, "end", how], environment: environment.merging(["CRASHKIT_OPTIONS": options]) { $1 })
  }

  /// Makes reports of all that ended: the lines `made NAME` and `note TEXT`.
  @discardableResult
  func tell(wrapper: [String] = []) throws -> [String] {
    let run = try ProgramRun.run(wrapper + [Self.program, "report", folder.url.path], environment: environment)
    #expect(run.end == .exited(0), Comment(rawValue: run.standardError))
    return run.standardOutput.split(separator: "\n").map(String.init)
  }

  /// The names of what is in the folder.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  func rings() throws -> [String] { try names().filter { $0.hasSuffix(".ring") } }

  /// The one ring, as bytes.
  func ring() throws -> (name: String, bytes: [UInt8]) {
    let rings = try rings()
    try #require(rings.count == 1, "\(rings)")
    return (rings[0], Array(try Data(contentsOf: folder.url.appending(path: rings[0]))))
  }

  /// The one report of an unclean exit: valid by the schema, for its owner's eyes alone, its ring gone.
  func report(sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> Report {
    let names = try names()
    let reports = names.filter { $0.hasSuffix("-uncleanExit.json") }
    try #require(reports.count == 1, "\(names)", sourceLocation: sourceLocation)
    #expect(!names.contains { $0.hasSuffix(".ring") }, "\(names)", sourceLocation: sourceLocation)
    let path = folder.url.appending(path: reports[0]).path
    try expectValid(path, sourceLocation: sourceLocation)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600, sourceLocation: sourceLocation)
    return try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: path)))
  }
}
