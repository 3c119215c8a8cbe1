import CrashReportModel

/// A broken rule: the locks, what each thread did to them, and the stacks of all threads that took part in it.
struct HTMLViolation {
  /// At most this many stacks are shown.
  private static let mostStacks = 40

  let page: HTMLPage
  let violation: CrashReport.Violation
  private let section: ViolationSection

  init(page: HTMLPage, violation: CrashReport.Violation) {
    self.page = page
    self.violation = violation
    section = ViolationSection(report: page.report, options: page.options, excerpts: page.excerpts)
  }

  func write(to markup: inout Markup, end: Int) {
    page.section("Broken rule", to: &markup) { markup in
      CircleDrawing(violation, of: page)?.write(to: &markup)
      let summary = HTMLPage.text { section.printSummary(of: violation, to: &$0) }
      let locks = HTMLPage.text { section.printLocks(of: violation, to: &$0) }
      for text in [summary, locks] where !text.isEmpty {
        markup.element("pre") { $0.add(lines: Cutting.text(text, atMost: 30_000) { $0.utf8.count }) }
      }
      var left = Self.mostStacks
      let names = LockNames(violation.locks ?? [])
      for edge in violation.edges ?? [] {
        let words = section.words(of: edge, in: violation, names)
        write(section.heading(of: edge, words, names), words.place, edge.toFrames, &left, to: &markup, end: end)
        if let origin = words.origin { write(nil, origin, edge.fromFrames, &left, to: &markup, end: end) }
      }
      for stack in violation.stacks ?? [] {
        write(section.heading(of: stack), nil, stack.frames, &left, to: &markup, end: end)
      }
      if left < 0 { markup.element("p", "\(-left) more stacks are not shown; crashsym shows them") }
    }
  }

  private func write(
    _ heading: String?, _ deed: String?, _ frames: [CrashReport.Frame]?, _ left: inout Int, to markup: inout Markup,
    end: Int
  ) {
    left -= 1
    guard left >= 0, markup.size < end else {
      left = min(left, -1)
      return
    }
    if let heading { markup.element("p") { $0.element("strong", heading) } }
    if let deed { markup.element("p", "\(deed) here:") }
    guard let frames, !frames.isEmpty else {
      return markup.element("p", [.literal("class", "warning")], "no stack: none was recorded")
    }
    HTMLStack(page: page).write(frames.withoutGuard, to: &markup, end: end)
  }
}
