import Foundation
import Testing

@testable import ThreadGuard

struct RulesTests {
  private typealias Rule = ThreadGuard.Violation.Rule

  /// The rows of the table of rules in Docs, as they must be.
  private var rows: [String] {
    Rule.all.map { "| `\($0.kind.rawValue)` | `\($0.code)` | \($0.severity.rawValue) | \($0.sentence) |" }
  }

  @Test func docsListEveryRule() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Docs/threadguard-reports.md")
    let lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "## Rules"))
    let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
    #expect(section.filter { $0.hasPrefix("| `") } == rows)
  }

  @Test func noTwoRulesHaveTheSameName() {
    #expect(!Rule.all.isEmpty)
    #expect(Set(rows.map { $0.split(separator: "|")[0...1].joined() }).count == rows.count)
  }

  @Test(arguments: [
    ("lockMisuse/duble-unlock", "lockMisuse has no code \"duble-unlock\"; did you mean \"double-unlock\"?"),
    ("lockOrderInversion/Cycle", "lockOrderInversion has no code \"Cycle\"; did you mean \"cycle\"?"),
    ("hang/long", "hang has no code \"long\""),
  ])
  func aCodeThatDoesNotExistIsNamed(_ subject: String, _ problem: String) throws {
    let rules = "\(subject) lock:*\n"
    let probe = try ViolationProbe("lockMisuse", options: "suppressions=@/rules", files: ["rules": rules])
    let path = probe.folder.appending(path: "rules").path()
    #expect(probe.errors.contains("\(path):1: \(problem)"), "\(probe.errors)")
    #expect(!probe.errors.contains { $0.contains("never matched") })
    #expect(try probe.reports().map(\.kind) == [.lockMisuse])
  }
}
