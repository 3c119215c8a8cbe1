import CrashReportModel
import Glibc
import LinuxCalls
import StressRunner
import WatchView
import Watcher

/// Lines on standard output, each in one piece.
struct PlainOutput {
  private var reasons: [Watcher.Metric: Watcher.Unavailability] = [:]

  private var trouble: String?

  /// Why nothing can be written any more.
  private(set) var failure: String?

  mutating func write(_ line: String) { print(line + "\n") }

  /// All metrics in a line; and, if that has changed, why a metric is missing.
  mutating func write(_ rows: [WatchState.Row], _ style: ViewStyle) {
    let date = Double(time(nil))
    for row in rows where row.reading.unavailability != reasons[row.metric] {
      let reason = row.reading.unavailability
      reasons[row.metric] = reason
      if reason?.isPassing == false, let line = PlainLines.unavailable(row, at: date, style) { write(line) }
    }
    if rows.contains(where: { $0.reading.value != nil }) { write(PlainLines.metrics(rows, at: date, style)) }
  }

  /// What goes wrong beside the metrics, on standard error and once.
  mutating func tell(trouble now: String?) {
    defer { trouble = now }
    if let now, now != trouble { printToStandardError("diagdemo: \(now.harmless)\n") }
  }

  mutating func ring() {
    if isatty(STDOUT_FILENO) == 1 { print("\u{7}") }
  }

  private mutating func print(_ text: String) {
    if failure == nil, !writeWhole(text, to: STDOUT_FILENO) { failure = errorText(errno) }
  }
}
