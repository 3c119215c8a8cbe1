import CrashReportModel
import Foundation

/// Files that the tests share.
enum Fixture {
  static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// A file under `Tests`.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: tests.appending(path: path), encoding: .utf8)
  }

  static func report(_ text: String) throws -> CrashReport {
    CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
  }
}
