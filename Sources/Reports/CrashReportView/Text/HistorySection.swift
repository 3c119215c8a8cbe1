import CrashReportModel

/// What the program recorded before it died: breadcrumbs, attributes, metrics.
struct HistorySection {
  /// So many breadcrumbs are shown unless all are asked for.
  static let shownBreadcrumbs = 40
  /// So much of one breadcrumb's message is shown.
  static let longestMessage = 200

  let report: CrashReport
  let showsAllBreadcrumbs: Bool

  func print(to printer: inout Printer) {
    printBreadcrumbs(to: &printer)
    printAttributes(to: &printer)
    printMetrics(to: &printer)
  }

  private func printBreadcrumbs(to printer: inout Printer) {
    let all = report.breadcrumbs ?? []
    let breadcrumbs = showsAllBreadcrumbs ? all : all.suffix(Self.shownBreadcrumbs)
    let omitted = report.omittedBreadcrumbs ?? 0
    guard !breadcrumbs.isEmpty || omitted > 0 else { return }
    printer.heading("Breadcrumbs" + (omitted > 0 ? " (\(omitted) older ones were overwritten)" : ""))
    if breadcrumbs.count < all.count {
      let hidden = Formatting.count(all.count - breadcrumbs.count, "older one")
      printer.line("  \(hidden) are not shown; --all-breadcrumbs shows all", .dim)
    }
    let times = breadcrumbs.map { time($0.time) }
    let timeWidth = times.map(\.count).max() ?? 0
    let levelWidth = breadcrumbs.compactMap(\.level?.columns).max() ?? 0
    let categoryWidth = min(20, breadcrumbs.compactMap(\.category?.columns).max() ?? 0)
    for (time, breadcrumb) in zip(times, breadcrumbs) {
      let level = breadcrumb.level ?? ""
      var segments = [
        Segment("  \(time.leftPadded(to: timeWidth))  ", .dim),
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
