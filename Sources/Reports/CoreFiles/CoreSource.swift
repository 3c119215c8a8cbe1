import CrashReportModel
import CrashReportReading

/// Core files as one more kind of input.
extension CoreReports: ReportSource {
  /// The kernel (core(5)) and systemd-coredump use the first two names, and people use the third. `core.c` has such a
  /// name too, so the first bytes are checked as well.
  public func claims(_ name: String, at path: String) -> Bool {
    (name == "core" || name.hasPrefix("core.") || name.hasSuffix(".core")) && CoreInput.isCore(at: path)
  }

  /// The report of a core file, or `nil` for anything else. Standard input is never a core file: it cannot be searched.
  public func reports(in path: String) throws(ReadingError) -> [CrashReport]? {
    guard path != "-" else { return nil }
    return try read(path).map { [$0] }
  }
}
