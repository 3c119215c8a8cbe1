import CrashReportModel

/// What the program recorded before it died: breadcrumbs, attributes, metrics.
struct HistorySection {
  /// At most this much of one breadcrumb's message is shown.
  static let longestMessage = 200

  let report: CrashReport
  let options: TextReport.Options

  func print(to printer: inout Printer) {
    printBreadcrumbs(to: &printer)
    printAttributes(to: &printer)
    printMetrics(to: &printer)
  }

  private func printBreadcrumbs(to printer: inout Printer) {
    let shown = ShownBreadcrumbs(report, options)
    let breadcrumbs = shown.breadcrumbs
    let omitted = report.omittedBreadcrumbs ?? 0
    guard !breadcrumbs.isEmpty || !shown.notes.isEmpty || omitted > 0 else { return }
    printer.heading("Breadcrumbs" + (omitted > 0 ? " (\(omitted) older ones were overwritten)" : ""))
    for note in shown.notes { printer.line("  \(note)", .dim) }
    let times = breadcrumbs.map { time($0.time) }
    let timeWidth = times.map(\.count).max() ?? 0
    let levelWidth = breadcrumbs.compactMap(\.level?.columns).max() ?? 0
    let categoryWidth = min(20, breadcrumbs.compactMap(\.category?.columns).max() ?? 0)
    for (time, breadcrumb) in zip(times, breadcrumbs) {
      let level = breadcrumb.level ?? ""
      let moment = time.leftPadded(to: timeWidth) + "  "
      let isMarked = shown.isMarked(breadcrumb)
      var segments = isMarked ? [Segment("> ", .bold), Segment(moment, .dim)] : [Segment("  " + moment, .dim)]
      segments += [
        Segment(level.padded(to: levelWidth) + "  ", level.isSerious ? .warning : .plain),
        Segment((breadcrumb.category ?? "").padded(to: categoryWidth) + "  "),
        Segment((breadcrumb.message ?? "").harmless(upTo: Self.longestMessage), .bold),
      ]
      for member in breadcrumb.attributes?.members ?? [] {
        segments.append(Segment("  \(member.key)=\(Formatting.text(of: member.value))", .dim))
      }
      printer.line(segments)
    }
  }

  private func printAttributes(to printer: inout Printer) {
    guard let members = report.attributes?.members, !members.isEmpty else { return }
    printer.heading("Attributes")
    let width = min(30, members.map(\.key.columns).max() ?? 0)
    for member in members {
      printer.line("  \(member.key.padded(to: width))  \(Formatting.text(of: member.value))")
    }
  }

  private func printMetrics(to printer: inout Printer) {
    guard let metrics = report.metrics, !metrics.isEmpty else { return }
    printer.heading("Metrics")
    let width = min(30, metrics.compactMap(\.name?.columns).max() ?? 0)
    for metric in metrics {
      var segments = [
        Segment("  \((metric.name ?? "?").padded(to: width))  "),
        Segment(metric.text, metric.isSound ? .bold : .alarm),
      ]
      if let state = metric.state { segments.append(Segment("  \(state)", metric.isSound ? .plain : .alarm)) }
      if let threshold = metric.thresholdText { segments.append(Segment("  threshold \(threshold)", .dim)) }
      if metric.updatedAt != nil { segments.append(Segment("  \(time(metric.updatedAt))", .dim)) }
      printer.line(segments)
    }
  }

  /// A moment relative to the crash, such as `-1.204s`.
  func time(_ moment: Timestamp?) -> String {
    guard let moment else { return "?" }
    guard let crash = report.timestamp else { return Formatting.moment(moment) }
    let seconds = moment.seconds(since: crash)
    return (seconds > 0 ? "+" : seconds > -0.0005 ? "-" : "") + Formatting.fixed(seconds, digits: 3) + "s"
  }
}

extension String {
  /// Whether a breadcrumb of this level reports that something went wrong.
  var isSerious: Bool { ["warning", "error", "critical", "fault"].contains(self) }
}
