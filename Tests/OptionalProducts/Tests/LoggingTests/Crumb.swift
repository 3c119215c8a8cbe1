import CrashKit
import Foundation
import Testing

/// A breadcrumb, as a report has it.
struct Crumb: Decodable {
  var level: String
  var category: String?
  var message: String
  var attributes: [String: String]?

  /// Those of a category, oldest first.
  static func all(of category: String) throws -> [Crumb] {
    struct Report: Decodable { var breadcrumbs: [Crumb] }
    _ = try installation.get()
    let path = try #require(try CrashKit.capture(category))
    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: path)))
    return report.breadcrumbs.filter { $0.category == category }
  }

  private static let directory = FileManager.default.temporaryDirectory.appending(path: "crumbs-\(getpid())")
  private static let installation = Result {
    atexit { try? FileManager.default.removeItem(at: Crumb.directory) }
    return try CrashKit.install(.init(directory: directory.path()))
  }
}
