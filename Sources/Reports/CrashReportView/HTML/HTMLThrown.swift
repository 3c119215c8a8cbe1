import CrashReportModel

/// Where errors were thrown.
struct HTMLThrown {
  let page: HTMLPage

  private var section: ThrownSection {
    ThrownSection(report: page.report, options: page.options, excerpts: page.excerpts)
  }

  /// The error that the report is about, with its stack.
  func writeCause(to markup: inout Markup, end: Int) {
    guard let cause = page.report.thrownCause else { return }
    page.section(ThrownSection.title(in: page.report), to: &markup) { markup in
      markup.element("p", section.heading(of: cause))
      HTMLStack(page: page).write(cause.framesFromThrow, to: &markup, end: end)
    }
  }

  /// The others, as the text view lists them.
  func writeOthers(to markup: inout Markup) {
    let text = HTMLPage.text { section.printOthers(to: &$0) }
    guard !text.isEmpty else { return }
    page.section("Other errors that were thrown", to: &markup) { markup in
      let lines = text.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
      markup.element("pre") { $0.add(lines: Cutting.text(lines, atMost: HTMLPage.Room.text) { $0.utf8.count }) }
    }
  }
}
