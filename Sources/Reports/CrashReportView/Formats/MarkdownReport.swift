import CrashReportModel

/// Reports as Markdown: for `$GITHUB_STEP_SUMMARY`, issues, merge requests, chats and language models.
public enum MarkdownReport {
  /// The largest number of characters. Issues and comments on GitHub allow 65,536.
  public static let longest = 65_000
  /// At most this much of the program's last message is shown.
  private static let longestMessage = 4000
  /// The words above the parts take less, with what the program said.
  private static let leastReport = 8000
  /// A part with less room than this is left out.
  private static let leastRoom = 400

  /// One text for all reports, of at most 65,000 characters: the most important parts come first, and the text says
  /// what it leaves out.
  public static func text(of reports: [VerifiedReport], options: TextReport.Options) -> String {
    var writer = MarkdownWriter()
    if reports.isEmpty { writer.paragraph("No reports.") }
    for (index, report) in reports.enumerated() {
      let left = longest - leastRoom - writer.length
      guard left >= leastReport else {
        writer.paragraph("", reports.count - index, " more reports are not shown.")
        break
      }
      let room = max(left / (reports.count - index), leastReport)
      write(ReportParts(report, options), atMost: room, to: &writer)
    }
    return writer.text
  }

  private static func write(_ parts: ReportParts, atMost limit: Int, to writer: inout MarkdownWriter) {
    let end = writer.length + limit
    writer.heading(code: parts.headline)
    writer.list(parts.facts)
    if let message = parts.message {
      var printer = Printer(usesColor: false)
      for line in message.split(separator: "\n").prefix(40) { printer.line(String(line)) }
      writer.block("What the program said", printer.text, isDetail: false, atMost: longestMessage)
    }
    var isCut = false
    for (index, part) in parts.parts.enumerated() {
      let later = parts.parts[(index + 1)...].map { $0.text.utf16.count + leastRoom }.reduce(0, +)
      let left = end - writer.length - leastRoom
      // At least half of the room that is left, and more if the parts after it need less.
      let room = max(left / 2, left - later)
      guard room >= leastRoom else {
        isCut = true
        continue
      }
      writer.block(part.title, part.text, isDetail: part.rank == .detail, atMost: room)
    }
    if isCut { writer.paragraph("Parts that did not fit are left out. `crashsym FILE` shows all.") }
  }
}
