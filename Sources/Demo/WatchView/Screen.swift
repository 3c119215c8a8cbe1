import CrashReportModel
import Watcher

extension WatchState {
  /// The lines of the screen, which fit into its size.
  public func lines(_ size: ViewSize, _ style: ViewStyle) -> [String] {
    let columns = max(1, size.columns)
    var head = [header]
    if size.lines > 6 { head.append(ViewLine("")) }
    // On a screen of few lines the help goes first, then the status.
    var foot: [ViewLine] = []
    if size.lines > 3 { foot.append(status) }
    if size.lines > 4 { foot.append(help) }
    let room = max(0, size.lines - head.count - foot.count)
    let body = visible(content(columns, style), room)
    let filling = [ViewLine](repeating: ViewLine(""), count: room - body.count)
    return (head + body + filling + foot).prefix(max(1, size.lines)).map { $0.encoded(columns, style) }
  }

  private func content(_ columns: Int, _ style: ViewStyle) -> [ViewLine] {
    switch tab {
    case .metrics: MetricsTab(state: self, columns: columns, style: style).lines
    case .events: EventsTab(state: self, style: style).lines
    case .statistics: StatisticsTab(state: self, columns: columns, style: style).lines
    }
  }

  /// The part of the content that is on the screen: the chosen metric is always in it, and the end is not scrolled past.
  private func visible(_ lines: [ViewLine], _ room: Int) -> [ViewLine] {
    let last = max(0, lines.count - room)
    let above = tab == .metrics ? max(0, selected - room + 1) : scrolled[tab, default: 0]
    return Array(lines.dropFirst(min(above, last)).prefix(room))
  }

  private var header: ViewLine {
    var line = ViewLine()
    for tab in Tab.allCases {
      let count = tab == .events && unread > 0 ? " (\(unread))" : ""
      let title = "\(tab.rawValue + 1) \(tab.title)\(count)"
      line.add(tab == self.tab ? "[\(title)]" : " \(title) ", tab == self.tab ? .reversed : .plain)
      line.add(" ")
    }
    return line
  }

  private var status: ViewLine {
    if let trouble { return ViewLine(trouble, .strong) }
    let seconds = isInBackground ? pace.background : pace.foreground
    return ViewLine(
      [
        "notifications \(notifies ? "on" : "off")", "nominal events \(showsNominal ? "shown" : "hidden")",
        "\(isInBackground ? "BACKGROUND" : "foreground"), every \(Figures.seconds(seconds))",
      ].joined(separator: ", "))
  }

  private var help: ViewLine {
    let keys = tab == .metrics ? "j/k choose  +/- threshold  " : "j/k scroll  "
    return ViewLine("1-3 tabs  \(keys)n nominal  a notify  b background  q quit")
  }
}

/// The output for a file, a pipe, or a terminal without cursor control: lines that are never redrawn.
public enum PlainLines {
  /// One line with the values of all metrics that have a value.
  public static func metrics(_ rows: [WatchState.Row], at date: Double, _ style: ViewStyle) -> String {
    let figures = rows.compactMap { row in
      row.reading.value.map { value in
        "\(row.metric.name) \(Figures.text(value, row.metric.unit))" + (row.state == .critical ? " CRITICAL" : "")
      }
    }
    return line("\(Figures.time(date, style))  " + figures.joined(separator: ", "), style)
  }

  /// Why a metric has no value.
  public static func unavailable(_ row: WatchState.Row, at date: Double, _ style: ViewStyle) -> String? {
    row.reading.unavailability.map { reason in
      line("\(Figures.time(date, style))  \(row.metric.name): \(reason)", style)
    }
  }

  /// One line about an event.
  public static func event(_ event: Watcher.MetricThresholdEvent, _ style: ViewStyle) -> String {
    line("\(Figures.time(event.date, style))  \(EventText.state(event))  \(EventText.figures(event))", style)
  }

  private static func line(_ text: String, _ style: ViewStyle) -> String { Columns.printable(text, style) }
}
