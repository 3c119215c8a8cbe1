import CrashReportModel
import Foundation

@testable import CrashKit
@testable import PreviousRuns

/// A folder of reports that goes with the value.
final class ReportFolder {
  let path: String

  init(in parent: String? = nil) throws {
    let parent = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
    let url = parent.appending(path: "crashkit-stored-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var directory: ReportDirectory { get throws { try ReportDirectory(path: path) } }

  /// What is there, folders below it included.
  func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }

  func write(_ text: String, to name: String) throws {
    let url = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// A report of some day, padded to a size.
  @discardableResult
  func add(day: Int, pid: Int = 7, in folder: String = "", size: Int = 200) throws -> String {
    let name = Self.name(day: day, pid: pid)
    let text =
      #"{"schema":"crashkit/1","kind":"crashReport","signal":{"name":"SIGSEGV"},"cause":"null pointer","pad":""#
    try write(text + String(repeating: "x", count: size - text.utf8.count - 2) + "\"}", to: folder + name)
    return name
  }

  static func name(day: Int, pid: Int = 7) -> String {
    "202611\(day < 10 ? "0" : "")\(day)T120000.000Z-\(pid)-crashReport.json"
  }

  /// Noon of a day, as seconds.
  static func noon(day: Int) -> Double {
    Double(Timestamp("2026-11-\(day < 10 ? "0" : "")\(day)T12:00:00Z")!.microseconds) / 1_000_000
  }
}
