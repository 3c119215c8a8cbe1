import Foundation
import Testing

/// Runs of live-probe and hang-probe, with reports in a folder that goes with it.
final class LiveProbe {
  /// What the tests look at in a report.
  struct Report: Decodable {
    struct Frame: Decodable {
      var kind: String
      var address: String?
    }
    struct Thread: Decodable {
      var id: Int
      var name: String?
      var belongsTo: String?
      var crashed: Bool?
      var capturedBy: String
      var stackEnd: String
      var task: Task?
      var context: Context?
      var frames: [Frame]
    }
    struct Trace: Decodable, Equatable {
      var traceId: String
      var spanId: String
    }
    struct Context: Decodable, Equatable {
      var name: String
      var trace: Trace?
      var attributes: [String: String]?
    }
    struct Cut: Decodable { var what: String }
    struct Capture: Decodable { var cutShort: [Cut] }
    struct Sample: Decodable {
      var after: Double
      var capturedBy: String
      var frames: [Frame]
    }
    struct HungThread: Decodable {
      var id: Int
      var processorTime: Double
    }
    struct Hang: Decodable {
      var subject: String
      var name: String
      var queue: String?
      var thread: Int?
      var threshold: Double
      var duration: Double
      var ended: Bool
      var recovered: Bool
      var observedFor: Double
      var threads: [HungThread]
      var samples: [Sample]
    }
    struct Task: Decodable {
      var name: String?
      var thread: Int?
      var isStuck: Bool?
      var context: Context?
    }
    struct Process: Decodable { var startedAt: String }
    var kind: String
    var context: Context?
    var description: String?
    var process: Process
    var threads: [Thread]
    var hang: Hang?
    var tasks: [Task]?
    var capture: Capture
  }

  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "crashkit-live-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Runs a probe to its end; `errors` takes its standard error, `meanwhile` is given its process id.
  func run(
    _ probe: String, _ arguments: [String], errors: FileHandle? = nil, meanwhile: (pid_t) throws -> Void = { _ in }
  ) throws -> (end: Probe.End, output: String) {
    let process = Process()
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = own.deletingLastPathComponent().appending(path: probe)
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["CRASHKIT_DIRECTORY"] = directory.path
    environment["CRASHKIT_OPTIONS"] = nil
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = errors.map { $0 as Any } ?? FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    try meanwhile(process.processIdentifier)
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (Probe.end(of: process), text)
  }

  /// The names of the files in the folder, in their order.
  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }

  /// The finished reports, oldest first, each of which the schema must allow.
  func reports(_ location: Testing.SourceLocation = #_sourceLocation) throws -> [Report] {
    let paths = try names().filter { $0.hasSuffix(".json") }.map { directory.appending(path: $0).path }
    if paths.isEmpty { return [] }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let schema = root.deletingLastPathComponent().appending(path: "Docs/report.schema.json").path
    process.arguments = ["python3", root.appending(path: "Helpers/validate.py").path, schema] + paths
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let verdicts = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, Comment(rawValue: verdicts), sourceLocation: location)
    return try paths.map { try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: $0))) }
  }
}
