import Foundation
import Testing

extension EndToEnd {
  /// `--help`, the parsers of options and the Docs have the same lists.
  @Suite struct HelpTests {
    private static let commands = [
      "crashsym show", "crashsym run", "crashsym group", "crashsym stream", "crashsym lookup", "crashsym symbols add",
      "crashsym symbols serve", "crashsym symbols upload", "crashsym doctor", "crashsym capture", "crashsym tasks",
      "crashsym send", "crashsym journal", "crashsym desk", "diagdemo stress", "diagdemo watch",
      "diagdemo crash",
    ]

    private static func text(_ path: String) throws -> String {
      try String(contentsOf: Products.root.appending(path: path), encoding: .utf8)
    }

    private static func help(_ command: String) throws -> String {
      var words = command.split(separator: " ").map(String.init)
      words[0] = words[0] == "crashsym" ? Products.crashsym : Products.diagdemo
      let run = try ProgramRun.run(words + ["--help"])
      try #require(run.end == .exited(0))
      return run.standardOutput
    }

    @Test func theDocsHaveEveryCommand() throws {
      for program in ["crashsym", "diagdemo"] {
        let list = try #require(try Self.help(program).components(separatedBy: "SUBCOMMANDS:\n").last)
        let names = list.matches(of: /(?m)^  ([a-z]+)(?: \(default\))?(?:  |$)/).map { "\(program) \($0.1)" }
        let known = Self.commands.filter { $0.hasPrefix(program) }.map {
          $0.split(separator: " ").prefix(2).joined(separator: " ")
        }
        #expect(Set(names) == Set(known))
      }
    }

    @Test(arguments: commands) func theDocsHaveEveryOption(_ command: String) throws {
      let help = try Self.help(command).components(separatedBy: "OPTIONS:\n").last ?? ""
      let blocks = ("\n" + help).components(separatedBy: "\n  -").dropFirst().map { "-" + $0 }
      var offered: Set<String> = []
      for block in blocks {
        let head = block.prefix { $0 != "\n" }.components(separatedBy: "  ")[0]
        let names = head.matches(of: /--[a-z-]+/).map { String($0.0) }
        guard names != ["--help"], names != ["--version"] else { continue }
        let words = block.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let values = words.firstMatch(of: /\(values: ([a-z, ]+)/).map { ": \($0.1)" } ?? ""
        offered.insert(names.joined(separator: " / ") + values)
      }
      #expect(!offered.isEmpty)
      let page = try Self.text("Docs/commands.md").components(separatedBy: "## `\(command)`\n")
      try #require(page.count == 2)
      let rows = page[1].components(separatedBy: "\n## ")[0].matches(of: /(?m)^\| (`--.*?) \|/)
      #expect(Set(rows.map { String($0.1).replacing("`", with: "") }) == offered)
      #expect(rows.count == offered.count)
    }

    /// The keys of `CRASHKIT_OPTIONS`: those that are read, those that a mistake is answered with, and the Docs'.
    @Test func theDocsHaveEveryKeyOfCrashKitsOptions() throws {
      let source = try Self.text("Sources/Capture/CCrashCapture/install/options.c")
      let read = Set(source.matches(of: /strcmp\(key, "([a-z-]+)"\)/).map { String($0.1) })
      #expect(read.count > 5)
      let section = try Self.text("Docs/deployment.md").components(separatedBy: "`CRASHKIT_OPTIONS` holds `key=value`")
      try #require(section.count == 2)
      let table = section[1].components(separatedBy: "\n\n").first { $0.hasPrefix("| ") } ?? ""
      let documented = table.matches(of: /(?m)^\| `([a-z-]+)` \|/).map { String($0.1) }
      #expect(Set(documented) == read)
      // The answer is one text of several pieces.
      let answer = source.replacing(/"\n *"/, with: "").matches(
        of:
          /there are ([a-z, ]+): yes or no; ([a-z]+): file, stderr or json-line; ([a-z]+): auto[a-z, ]+; ([a-z]+): yes[A-Za-z0-9, ]+; ([a-z-]+): QUIT/
      )
      let named = answer.flatMap { $0.1.components(separatedBy: ", ") + [$0.2, $0.3, $0.4, $0.5].map { String($0) } }
      #expect(Set(named) == read)
    }

    /// Every kind of death has a row in the matrix.
    @Test func theMatrixHasEveryKind() throws {
      let run = try ProgramRun.run([Products.diagdemo, "crash", "--list"])
      let kinds = run.standardOutput.split(separator: "\n").compactMap { line in
        line.split(separator: " ").first.map(String.init)
      }
      #expect(kinds.count > 100)
      let folder = Products.root.appending(path: "Tests/Deaths")
      let rows = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".toml") }
        .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
      for kind in kinds { #expect(rows.contains("\"\(kind)\"") || rows.contains("[\(kind)]"), "\(kind)") }
    }
  }
}
