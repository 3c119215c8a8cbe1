import CrashReportModel
import Watcher

/// A line a metric: its name, a gauge, its value and threshold, and its state in a word.
struct MetricsTab {
  let state: WatchState
  let columns: Int
  let style: ViewStyle

  private static let figureWidth = 12
  private static let stateWidth = 8
  private static let smallestGauge = 6

  var lines: [ViewLine] { state.rows.enumerated().map { line($1, isSelected: $0 == state.selected) } }

  private func line(_ row: WatchState.Row, isSelected: Bool) -> ViewLine {
    let isCritical = row.state == .critical
    var line = ViewLine()
    line.add(isSelected ? "> " : "  ", .strong)
    let name = Columns.cutMiddle(row.metric.name, to: nameWidth)
    line.add(Columns.pad(name, to: nameWidth), isSelected ? .strong : .plain)
    guard let value = row.reading.value else {
      line.add("  " + (row.reading.unavailability?.description ?? ""))
      return line
    }
    let look: ViewLine.Look = isCritical ? .critical : .plain
    if gaugeWidth >= Self.smallestGauge {
      line.add(" ")
      line.add(gauge(value, row), look)
    }
    line.add(Columns.padLeft(Figures.text(value, row.metric.unit), to: Self.figureWidth), look)
    line.add(" " + Columns.pad(word(row), to: Self.stateWidth), look)
    line.add(" " + limit(row))
    return line
  }

  private var nameWidth: Int {
    min(state.rows.map { Columns.count($0.metric.name) }.max() ?? 0, max(10, columns / 3))
  }

  private var gaugeWidth: Int {
    min(40, columns - 2 - nameWidth - 1 - Self.figureWidth - 1 - Self.stateWidth - 3 - Self.figureWidth)
  }

  private func word(_ row: WatchState.Row) -> String {
    switch row.state {
    case .critical: "CRITICAL"
    case .nominal: "nominal"
    case .unknown: ""
    }
  }

  private func limit(_ row: WatchState.Row) -> String {
    guard let threshold = row.threshold else { return "" }
    return (row.range == .lower ? "< " : "> ") + Figures.text(threshold, row.metric.unit)
  }

  /// Filled up to the value, with a mark at the threshold. A ratio fills it with 1, others with twice their threshold.
  private func gauge(_ value: Double, _ row: WatchState.Row) -> String {
    let inside = gaugeWidth - 2
    let whole = row.metric.unit == .ratio ? 1 : (row.threshold ?? value) * 2
    let part = whole > 0 ? min(max(0, value / whole), 1) : 0
    let filled = Int((part * Double(inside)).rounded())
    let mark = row.threshold.map { whole > 0 ? Int(min(max(0, $0 / whole), 1) * Double(inside - 1)) : 0 }
    let (full, empty, limit): (Character, Character, Character) =
      style.hasUnicode ? ("\u{2588}", "\u{2591}", "\u{2502}") : ("#", "-", "|")
    let cells = (0..<inside).map { $0 == mark ? limit : $0 < filled ? full : empty }
    return "[" + String(cells) + "]"
  }
}
