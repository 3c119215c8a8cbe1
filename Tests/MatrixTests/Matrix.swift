import Foundation
import Synchronization
import Testing

/// Rows of TOML that a check in `Scripts/checks` brings about, all in one run, and what it found of each.
final class Matrix: Sendable {
  /// What a check found of a row.
  private struct Finding: Decodable {
    var name: String
    var wrong: String?
    var skipped: String?
  }

  private let check: String
  private let options: [String]
  private let findings = Mutex<[Finding]?>(nil)

  /// `check` is the name of a script, without its ending. It offers `--list` and `--products`.
  init(_ check: String, options: [String] = []) {
    self.check = check
    self.options = options
  }

  /// The names of the rows.
  var rows: [String] {
    get throws {
      let pipe = Pipe()
      let script = try process(["--list"])
      script.standardOutput = pipe
      try script.run()
      let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
      script.waitUntilExit()
      try #require(script.terminationStatus == 0, "\(check) --list ends with \(script.terminationStatus)")
      let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      try #require(!names.isEmpty)
      return names
    }
  }

  /// Expects that a row was brought about and all of it was right. The first row that asks has the whole check run.
  func expect(_ row: String) throws {
    let found = try all().filter { $0.name == row || $0.name.hasPrefix(row + ": ") }
    try #require(!found.isEmpty, "\(check) did not try this row")
    for finding in found {
      if let wrong = finding.wrong { Issue.record("\(finding.name): \(wrong)") }
      // Scripts/test counts such lines.
      if let reason = finding.skipped { print("skipped \(finding.name): \(reason)") }
    }
  }

  /// Expects that what the check looks at beside its rows was right too.
  func expectTheRest() throws {
    let rows = try rows
    for finding in try all() where !rows.contains(where: { finding.name == $0 || finding.name.hasPrefix($0 + ": ") }) {
      if let wrong = finding.wrong { Issue.record("\(finding.name): \(wrong)") }
    }
  }

  private func all() throws -> [Finding] {
    try findings.withLock { known in
      if let known { return known }
      let results = FileManager.default.temporaryDirectory.appending(path: "matrix-\(UUID().uuidString).jsonl")
      defer { try? FileManager.default.removeItem(at: results) }
      let script = try process(["--products", Self.products.path])
      script.environment?["CRASHKIT_TEST_RESULTS"] = results.path
      script.standardOutput = FileHandle.nullDevice
      try script.run()
      script.waitUntilExit()
      let lines = (try? Data(contentsOf: results))?.split(separator: UInt8(ascii: "\n")) ?? []
      let read = try lines.map { try JSONDecoder().decode(Finding.self, from: $0) }
      // A script that failed without saying of what found nothing out.
      try #require(
        script.terminationStatus == 0 || read.contains { $0.wrong != nil },
        "\(check) ends with \(script.terminationStatus), see above")
      known = read
      return read
    }
  }

  private func process(_ arguments: [String]) throws -> Process {
    let script = Process()
    script.executableURL = URL(filePath: "/usr/bin/env")
    let environment = ProcessInfo.processInfo.environment
    let python = environment["CRASHKIT_TEST_PYTHON"] ?? "python3"
    script.arguments = [python, Self.root.appending(path: "Scripts/checks/\(check).py").path] + options + arguments
    script.environment = environment
    script.currentDirectoryURL = Self.root
    script.standardInput = FileHandle.nullDevice
    return script
  }

  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of built programs, beside the tests.
  private static let products: URL = {
    let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: executable ?? CommandLine.arguments[0]).deletingLastPathComponent()
  }()
}
