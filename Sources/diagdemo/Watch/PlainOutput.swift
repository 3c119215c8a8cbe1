import Glibc
import WatchView
import Watcher

/// Lines on standard output, each in one piece.
struct PlainOutput {
  private var reasons: [Watcher.Metric: Watcher.Unavailability] = [:]

  func write(_ line: String) { print(line + "\n") }

  /// All metrics in a line; and, where it has changed, why one of them is not among them.
  mutating func write(_ rows: [WatchState.Row], _ style: ViewStyle) {
    let date = Double(time(nil))
    for row in rows where row.reading.unavailability != reasons[row.metric] {
      let reason = row.reading.unavailability
      reasons[row.metric] = reason
      if reason?.isPassing == false, let line = PlainLines.unavailable(row, at: date, style) { write(line) }
    }
    if rows.contains(where: { $0.reading.value != nil }) { write(PlainLines.metrics(rows, at: date, style)) }
  }

  func ring() {
    if isatty(STDOUT_FILENO) == 1 { print("\u{7}") }
  }

  private func print(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
