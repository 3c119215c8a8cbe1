import Foundation
import Testing

/// A run of handler-probe, with its reports and its files in folders of their own that go with the value.
final class HandlerProbe {
  enum End: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    case stuck
  }

  /// What the tests look at in a report.
  struct Report: Decodable {
    var kind: String
    struct Signal: Decodable {
      var name: String
      var code: Int32
      var codeName: String?
      var pid: Int32?
    }
    struct Frame: Decodable {
      var kind: String
      var address: String?
      var count: Int?
    }
    struct Thread: Decodable {
      var id: Int32
      var name: String?
      var nameBytes: String?
      var crashed: Bool?
      var state: String?
      var signal: Signal?
      var faultAddress: String?
      var capturedBy: String
      var unwoundBy: String?
      var stackEnd: String?
      var frames: [Frame]
    }
    struct Cut: Decodable, Hashable {
      var what: String
      var reason: String
    }
    struct Capture: Decodable {
      var cutShort: [Cut]
      var threads: Int
      var unprotected: [Int32]
      var captureTime: Double
    }
    struct Process: Decodable {
      var pid: Int32
      var startedAt: String?
    }
    struct Breadcrumb: Decodable { var message: String }
    struct Memory: Decodable { var resident: Int? }
    struct Host: Decodable { var osName: String? }
    var signal: Signal
    var cause: String?
    var causeCode: String?
    var message: String?
    var process: Process?
    var threads: [Thread]
    var breadcrumbs: [Breadcrumb]?
    var memory: Memory?
    var host: Host?
    var capture: Capture
  }

  let end: End
  let output: String
  let errors: String
  let seconds: Double
  private let base: URL

  /// Where reports go, and a folder for the program's own files.
  var directory: URL { base.appending(path: "reports") }
  var files: URL { base.appending(path: "files") }

  /// Runs the probe to its end. `enabled: false` is the program as it would be without CrashKit.
  init(
    _ name: String, _ arguments: [String] = ["after"], enabled: Bool = true, environment: [String: String] = [:],
    options: String = "", seconds limit: Double = 15, wrapper: [String] = []
  ) throws {
    base = FileManager.default.temporaryDirectory.appending(path: "crashkit-handlers-\(UUID().uuidString)")
    let folders = [base.appending(path: "reports"), base.appending(path: "files")]
    for folder in folders {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    var variables = ProcessInfo.processInfo.environment
    variables["CRASHKIT_DIRECTORY"] = folders[0].path
    variables["PROBE_FILES"] = folders[1].path
    // The Swift runtime has handlers of its own, on by default, with which a signal that is sent does not kill.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    variables["CRASHKIT_OPTIONS"] = enabled ? (options.isEmpty ? nil : options) : "enable=no"
    let outputFile = base.appending(path: "stdout")
    let errorFile = base.appending(path: "stderr")
    let start = Date()
    let process = try ProbeProcess(
      wrapper + [Self.program, name] + arguments, environment: variables.merging(environment) { $1 },
      folder: folders[1].path, output: outputFile.path, errors: errorFile.path, seconds: limit)
    seconds = Date().timeIntervalSince(start)
    end =
      switch process.status {
      case nil: .stuck
      // As WIFSIGNALED and WEXITSTATUS, which are macros.
      case let status? where status & 0x7f == 0: .exited((status >> 8) & 0xff)
      case let status?: .killed(signal: status & 0x7f)
      }
    output = String(decoding: try Data(contentsOf: outputFile), as: UTF8.self)
    errors = String(decoding: try Data(contentsOf: errorFile), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(at: base) }

  static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "handler-probe").path

  /// The reports, finished ones and others.
  func reportFiles() throws -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.filter { $0.hasSuffix(".json") || $0.hasSuffix(".partial") }.map { directory.appending(path: $0) }
  }

  /// The one report that there must be.
  func report(_ location: Testing.SourceLocation = #_sourceLocation) throws -> Report {
    let reports = try reportFiles()
    let said = Comment(rawValue: "\(end), \(reports.map(\.lastPathComponent)); it said: \(errors.suffix(800))")
    try #require(reports.count == 1 && reports[0].pathExtension == "json", said, sourceLocation: location)
    return try Self.report(at: reports[0], location)
  }

  /// The report in a file. Without a thread in it, what tests expect of all threads would be true of none.
  static func report(at file: URL, _ location: Testing.SourceLocation = #_sourceLocation) throws -> Report {
    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
    try #require(!report.threads.isEmpty, "\(file.lastPathComponent) has no thread", sourceLocation: location)
    return report
  }
}
