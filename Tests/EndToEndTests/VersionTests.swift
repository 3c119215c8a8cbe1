import Foundation
import Testing

extension EndToEnd {
  /// One version for the package, wherever it is printed or written.
  @Suite struct VersionTests {
    /// The version of the newest entry of CHANGELOG.md.
    private func released() throws -> String {
      let text = try String(contentsOf: Products.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
      let headings = text.split(separator: "\n").filter { $0.hasPrefix("## [") && !$0.hasPrefix("## [Unreleased]") }
      let version = try #require(headings.first?.dropFirst(4).prefix { $0 != "]" })
      try #require(version.wholeMatch(of: /\d+\.\d+\.\d+(-[a-z]+\.\d+)?/) != nil, "\(version)")
      return String(version)
    }

    @Test func commandsPrintTheOneOfTheChangelog() throws {
      let released = try released()
      for command in [Products.crashsym, Products.diagdemo] {
        let run = try ProgramRun.run([command, "--version"])
        #expect(run.end == .exited(0))
        #expect(run.standardOutput == "\(released)\n")
      }
    }

    private struct Written: Decodable {
      struct Capture: Decodable { var version: String }
      var kind: String
      var capture: Capture
    }

    @Test func reportsOfBothLibrariesCarryIt() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("opposite_orders.c", into: folder, options: ["-pthread"])
      let kept = folder.url.appending(path: "reports")
      _ = try ProgramRun.run(
        [Products.crashsym, "run", "--thread-guard", "--quiet", "--output", kept.path, "--", program])
      let names = try FileManager.default.contentsOfDirectory(atPath: kept.path).filter { $0.hasSuffix(".json") }
      let reports = try names.map {
        try JSONDecoder().decode(Written.self, from: Data(contentsOf: kept.appending(path: $0)))
      }
      #expect(Set(reports.map(\.kind)) == ["crashReport", "lockOrderInversion"])
      #expect(Set(reports.map(\.capture.version)) == [try released()])
    }

    /// A version that stands in a source a second time would be forgotten at the next release.
    @Test func theVersionIsInOneSource() throws {
      let released = try released()
      let sources = Products.root.appending(path: "Sources").path
      let files = try #require(FileManager.default.enumerator(atPath: sources)).compactMap { $0 as? String }
      let holding = files.filter { name in
        (try? String(contentsOfFile: "\(sources)/\(name)", encoding: .utf8))?.contains(released) == true
      }
      #expect(holding == ["Ground/CReportParts/include/CReportParts/version.h"])
    }
  }
}
