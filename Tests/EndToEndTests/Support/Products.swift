import Foundation
import TestEnvironment

/// Where the programs under test are.
enum Products {
  /// The package's root.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of built programs: beside the tests, or what CRASHKIT_TEST_PRODUCTS names, so that the same tests
  /// can look at programs that were built in another way.
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["CRASHKIT_TEST_PRODUCTS"] { return URL(filePath: path) }
    let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: executable ?? CommandLine.arguments[0]).deletingLastPathComponent()
  }()

  /// Whether the programs are those that were built with the tests.
  static let areOfThisBuild = ProcessInfo.processInfo.environment["CRASHKIT_TEST_PRODUCTS"] == nil

  static var diagdemo: String { folder.appending(path: "diagdemo").path }
  static var crashsym: String { folder.appending(path: "crashsym").path }

  /// Whether the tests that belong to the full set run: `Scripts/test --full` says so.
  static let testsAreFull = tests_are_full()

  /// The first program called `name` on PATH, or nil.
  static func onPath(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
