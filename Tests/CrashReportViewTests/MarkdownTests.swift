import CrashReportModel
import Testing

@testable import CrashReportView

@Suite struct MarkdownTests {
  private static func text(_ reports: [CrashReport]) -> String {
    MarkdownReport.text(of: reports.map { VerifiedReport(report: $0) }, options: .init(showsSource: false))
  }

  /// What is left of Markdown if code blocks and code spans are taken out, as CommonMark reads them.
  private static func withoutCode(_ text: String) throws -> String {
    var rest = ""
    var fence: Substring?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let ticks = line.prefix { $0 == "`" }
      if let open = fence {
        if ticks.count >= open.count, line.allSatisfy({ $0 == "`" }) { fence = nil }
      } else if ticks.count >= 3, line.dropFirst(ticks.count) == "text" {
        fence = ticks
      } else {
        rest += try withoutSpans(line) + "\n"
      }
    }
    #expect(fence == nil, "a block has no end")
    return rest
  }

  private static func withoutSpans(_ line: Substring) throws -> String {
    guard let start = line.firstIndex(of: "`") else { return String(line) }
    let ticks = line[start...].prefix { $0 == "`" }
    var end = ticks.endIndex
    while let next = line[end...].firstIndex(of: "`") {
      let closing = line[next...].prefix { $0 == "`" }
      if closing.count == ticks.count { return try line[..<start] + withoutSpans(line[closing.endIndex...]) }
      end = closing.endIndex
    }
    Issue.record("a span has no end: \(line)")
    return String(line)
  }

  @Test func hostileTextStaysCode() throws {
    let text = Self.text([try HostileReport.report()])
    let rest = try Self.withoutCode(text)
    #expect(text.contains("SCRIPTED") && !rest.contains("SCRIPTED"), "\(rest)")
    // Not one of its marks either.
    for mark in ["javascript", "@", "!", "](", "onerror", "&"] { #expect(!rest.contains(mark), "\(mark) in \(rest)") }
    #expect(text.unicodeScalars.allSatisfy { !$0.isHazard || $0 == "\n" })
    for part in ["Deadlock", "Hang", "Broken rule", "Crashed thread", "What happened before", "Missing symbols"] {
      #expect(text.contains("\n### \(part)\n"), "no \(part)")
    }
    for part in ["Other threads", "Swift tasks", "Registers", "Process and machine"] {
      #expect(text.contains("<summary>\(part)</summary>"), "no \(part)")
    }
  }

  @Test func textIsNeverTooLong() throws {
    var report = try HostileReport.report()
    let threads = report.threads ?? []
    report.threads = (0..<150).map { index in
      var thread = threads[index % threads.count]
      thread.id = index
      thread.name = "worker \(index)"
      thread.crashed = index == 0
      thread.stackEnd = "end \(index)"
      return thread
    }
    let long = Self.text([report])
    #expect((40_000...MarkdownReport.longest).contains(long.utf16.count), "\(long.utf16.count)")
    #expect(long.contains("more lines; crashsym shows them"))
    #expect(try !Self.withoutCode(long).contains("SCRIPTED"))
    let many = Self.text(Array(repeating: report, count: 20))
    #expect((40_000...MarkdownReport.longest).contains(many.utf16.count), "\(many.utf16.count)")
    #expect(many.contains(" more reports are not shown."))
    let ticks = String(repeating: "`", count: 3000)
    report.message = ticks
    report.cause = ticks
    #expect(Self.text([report]).utf16.count <= MarkdownReport.longest)
  }

  @Test func severalSmallReportsAreAllShown() {
    var report = CrashReport()
    report.cause = "it fell"
    let text = Self.text(Array(repeating: report, count: 100))
    #expect(text.split(separator: "\n").count { $0.hasPrefix("## ") } == 100)
    #expect(!text.contains("not shown"))
    #expect(Self.text([]) == "No reports.\n")
  }

  @Test func spansHoldBackticksAndBlanks() {
    var writer = MarkdownWriter()
    writer.list([("a", "`x`"), ("b", "a``b"), ("c", " y"), ("d", ""), ("e", "z\n# z")])
    #expect(
      writer.text == "- a: `` `x` ``\n- b: ```a``b```\n- c: `  y `\n- d: ` `\n- e: `z\\n# z`\n")
  }
}
