import CrashReportModel

/// A report's Swift tasks alone, as JSON.
public enum TasksDocument {
  /// What stays of a report, under the report's keys.
  private static let keys = ["schema", "timestamp", "kind", "process", "tasks", "omittedTasks"]

  /// One line without its end: the report without its other sections. `capture.tasks` says how the tasks were found, or
  /// why there are none.
  public static func json(of report: CrashReport) -> String {
    var document = CrashReport()
    for key in keys { document.fields[key] = report.fields[key] }
    if let search = report.capture?.tasks {
      var capture = CrashReport.Capture()
      capture.tasks = search
      document.capture = capture
    }
    return document.json.text
  }
}
