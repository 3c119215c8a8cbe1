import CrashReportModel

/// The top of a report: what happened, in which program, where, and how the report is identified.
struct HTMLHead {
  /// At most this much of the program's last message is shown.
  private static let longestMessage = 8000

  let page: HTMLPage

  func write(to markup: inout Markup) {
    let head = HeadlineSection(report: page.report)
    let facts = ReportParts.facts(page.report, page.options.sources, head)
    markup.element("header") { markup in
      if page.isAlone {
        markup.element("h1") { writeTitle(head, to: &$0) }
      } else {
        markup.element("h2") { writeTitle(head, to: &$0) }
      }
      markup.element("dl", [.literal("class", "facts")]) { markup in
        for (title, text) in facts {
          markup.element("div") { markup in
            markup.element("dt") { $0.add(literal: title) }
            markup.element("dd", text)
          }
        }
      }
      if let message = page.report.message, !message.isEmpty {
        let lines = message.split(separator: "\n").prefix(40).map { String($0).harmless }.joined(separator: "\n") + "\n"
        markup.element("pre", [.literal("class", "message")]) {
          $0.add(lines: Cutting.text(lines, atMost: Self.longestMessage) { $0.utf8.count })
        }
      }
    }
    markup.endLine()
  }

  private func writeTitle(_ head: HeadlineSection, to markup: inout Markup) {
    markup.element("span", [.literal("class", "subject")], head.subject)
    markup.add(" ")
    markup.add(head.headline)
  }
}
