import CrashReportModel
import CrashReportReading

/// Core files as one more kind of input.
extension CoreReports: ReportSource {
  /// Whether a file is a core file, by its name and its first bytes. The kernel (core(5)) and systemd-coredump name
  /// core files `core` or `core.…`. People also name them `….core`. The source file `core.c` has such a name too, so
  /// the first bytes must be those of a core file.
  public func claims(_ name: String, at path: String) -> Bool {
    (name == "core" || name.hasPrefix("core.") || name.hasSuffix(".core")) && CoreInput.isCore(at: path)
  }

  /// The report of a core file, or `nil` for anything else. Standard input (`-`) is never read as a core file, because
  /// it is not seekable.
  public func reports(in path: String) throws(ReadingError) -> [CrashReport]? {
    guard path != "-" else { return nil }
    return try read(path).map { [$0] }
  }
}
