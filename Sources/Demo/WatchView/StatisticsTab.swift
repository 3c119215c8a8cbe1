import CrashReportModel
import Watcher

/// What there is to know of the program and the machine, and a table of the endpoints.
struct StatisticsTab {
  let state: WatchState
  let columns: Int
  let style: ViewStyle

  var lines: [ViewLine] {
    guard let statistics = state.statistics else { return [ViewLine("  Nothing is known yet.")] }
    let unknown = "unknown"
    let facts = [
      ("Application", statistics.applicationName), ("Version", statistics.applicationVersion ?? unknown),
      ("Device make", statistics.deviceMake ?? unknown), ("Device model", statistics.deviceModel ?? unknown),
      ("OS", statistics.system),
      ("Memory in use", statistics.memoryInUse.map { Figures.bytes(Double($0)) } ?? unknown),
    ]
    var lines = facts.map { name, value in
      var line = ViewLine("  " + Columns.pad(name, to: 15), .strong)
      line.add(value)
      return line
    }
    lines.append(ViewLine(""))
    guard !statistics.endpoints.isEmpty else {
      return lines + [ViewLine("  No API calls (--url URL makes some).")]
    }
    lines.append(ViewLine("  " + row("Endpoint", "Calls", "Errors", "Mean time", "Last call"), .strong))
    for endpoint in statistics.endpoints {
      lines.append(
        ViewLine(
          "  "
            + row(
              endpoint.name, String(endpoint.calls), String(endpoint.errors), Figures.seconds(endpoint.mean),
              Figures.time(endpoint.lastCall, style))))
    }
    return lines
  }

  private func row(_ name: String, _ calls: String, _ errors: String, _ mean: String, _ last: String) -> String {
    let widest = (state.statistics?.endpoints ?? []).map { Columns.count($0.name) }.max() ?? 0
    let width = max(8, min(max(8, widest), columns - 2 - 7 - 8 - 12 - 11))
    return Columns.pad(name, to: width) + Columns.padLeft(calls, to: 7) + Columns.padLeft(errors, to: 8)
      + Columns.padLeft(mean, to: 12) + Columns.padLeft(last, to: 11)
  }
}
