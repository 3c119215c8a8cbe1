import CrashReportModel
import Watcher

/// A line an event, the newest first.
struct EventsTab {
  let state: WatchState
  let style: ViewStyle

  var lines: [ViewLine] {
    let events = state.visibleEvents
    guard events.isEmpty else { return events.map(line) }
    let hidden = state.entries.count
    return [
      ViewLine(""),
      ViewLine(
        hidden == 0
          ? "  No events yet: every metric has stayed on its side of the threshold."
          : "  No events but nominal ones, which are hidden (n shows them)."),
    ]
  }

  private func line(_ event: Watcher.MetricThresholdEvent) -> ViewLine {
    var line = ViewLine("  \(Figures.time(event.date, style))  ")
    line.add(EventText.state(event), event.state == .critical ? .critical : .plain)
    line.add("  " + EventText.figures(event))
    return line
  }
}

/// An event in words.
enum EventText {
  static func state(_ event: Watcher.MetricThresholdEvent) -> String {
    Columns.pad(event.state == .critical ? "CRITICAL" : event.state.rawValue, to: 8)
  }

  static func figures(_ event: Watcher.MetricThresholdEvent) -> String {
    let value = event.value.map { Figures.text($0, event.metric.unit) } ?? "no value"
    return "\(event.metric.name)  \(value)  (threshold \(Figures.text(event.threshold, event.metric.unit)))"
  }
}
