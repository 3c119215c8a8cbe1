import CrashReportModel
import ReportGrouping

extension GroupedReports: Rendered {
  public typealias Context = GroupTable

  /// The formats of `crashsym group`.
  public static let renderers: [Renderer<GroupedReports>] = [
    Renderer("text", isForPeople: true, .each { $1.text(of: $0) }),
    Renderer("json", .each { grouped, _ in grouped.json.text + "\n" }),
  ]
}

extension GroupTable {
  /// The table, and a line that counts.
  func text(of grouped: GroupedReports) -> String {
    let groups = grouped.groups.sorted
    var text = groups.isEmpty ? "" : self.text(of: groups) + "\n"
    text += "\(counted(grouped.groups.count, "report")) in \(counted(groups.count, "group"))"
    if grouped.tooOld > 0 { text += "; \(grouped.tooOld) from before, or of no known time, left out" }
    if grouped.skippedCount > 0 { text += "; \(grouped.skippedCount) skipped" }
    return text + "\n"
  }
}
