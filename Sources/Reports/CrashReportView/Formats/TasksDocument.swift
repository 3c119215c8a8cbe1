import CrashReportModel

/// Only the Swift tasks of a report, as JSON.
public enum TasksDocument {
  /// The keys of a report that stay.
  private static let keys = ["schema", "timestamp", "kind", "process", "tasks", "omittedTasks"]

  /// The tasks as one line of JSON, without a line end. The line also has the report's `schema`, `timestamp`, `kind`,
  /// `process` and `capture.tasks`. `capture.tasks` shows how CrashKit found the tasks, or
  /// why it found none.
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
