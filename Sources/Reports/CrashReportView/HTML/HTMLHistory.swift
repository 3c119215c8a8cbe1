import CrashReportModel

/// What the program recorded: breadcrumbs as a timeline; attributes and metrics.
struct HTMLHistory {
  let page: HTMLPage

  private var section: HistorySection {
    HistorySection(report: page.report, options: page.options)
  }

  func writeBreadcrumbs(to markup: inout Markup, end: Int) {
    let shown = ShownBreadcrumbs(page.report, page.options)
    let omitted = max(0, page.report.omittedBreadcrumbs ?? 0)
    guard !shown.breadcrumbs.isEmpty || !shown.notes.isEmpty || omitted > 0 else { return }
    page.section("What happened before", to: &markup) { markup in
      if omitted > 0 { markup.element("p", "\(counted(omitted, "older breadcrumb")) were overwritten") }
      for note in shown.notes { markup.element("p", note) }
      markup.element("ol", [.literal("class", "timeline")]) { markup in
        for (index, breadcrumb) in shown.breadcrumbs.enumerated() {
          guard markup.size < end else {
            markup.element("li", "\(shown.breadcrumbs.count - index) more are not shown; crashsym shows them")
            break
          }
          write(breadcrumb, isMarked: shown.isMarked(breadcrumb), to: &markup)
          markup.endLine()
        }
      }
    }
  }

  private func write(_ breadcrumb: CrashReport.Breadcrumb, isMarked: Bool, to markup: inout Markup) {
    let level = breadcrumb.level ?? ""
    let classes: Markup.Attribute =
      switch (level.isSerious, isMarked) {
      case (true, true): .literal("class", "serious marked")
      case (true, false): .literal("class", "serious")
      case (false, true): .literal("class", "plain marked")
      case (false, false): .literal("class", "plain")
      }
    markup.element("li", [classes]) { markup in
      if isMarked { markup.add(literal: "> ") }
      markup.element("span", [.literal("class", "time")], section.time(breadcrumb.time))
      markup.add(" ")
      markup.element("span", [.literal("class", "level")], [level, breadcrumb.category ?? ""].joined(separator: " "))
      markup.add(" ")
      markup.element("strong") { $0.add(breadcrumb.message ?? "", upTo: HistorySection.longestMessage) }
      for member in (breadcrumb.attributes?.members ?? []).prefix(32) {
        markup.add(" ")
        markup.element("span", [.literal("class", "pair")]) { markup in
          markup.add("\(member.key)=\(Formatting.text(of: member.value))", upTo: HistorySection.longestMessage)
        }
      }
    }
  }

  func writeValues(to markup: inout Markup) {
    if let members = page.report.attributes?.members, !members.isEmpty {
      page.section("Attributes", to: &markup) { markup in
        Self.write(members.prefix(200).map { ($0.key, Formatting.text(of: $0.value)) }, to: &markup)
      }
    }
    guard let metrics = page.report.metrics, !metrics.isEmpty else { return }
    page.section("Metrics", to: &markup) { markup in
      let rows = metrics.prefix(200).map { metric -> (String, String) in
        let threshold = metric.thresholdText.map { "threshold \($0)" }
        let words = [metric.text, metric.state, threshold, metric.updatedAt.map { section.time($0) }]
        return (metric.name ?? "?", words.compactMap { $0 }.joined(separator: ", "))
      }
      Self.write(rows, to: &markup)
    }
  }

  /// Names and values.
  static func write(_ rows: [(String, String)], to markup: inout Markup) {
    markup.element("dl", [.literal("class", "values")]) { markup in
      for (name, value) in rows {
        markup.element("div") { markup in
          markup.element("dt") { $0.add(name, upTo: 200) }
          markup.element("dd") { $0.add(value, upTo: 400) }
        }
      }
    }
  }
}
