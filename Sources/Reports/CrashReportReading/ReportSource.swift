import CrashReportModel
import Glibc
import LinuxCalls

/// A kind of input that holds reports. `InputFormats.swift` lists all kinds.
public protocol ReportSource: Sendable {
  /// Whether a file that is found in a folder is an input of this kind.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - path: Its path; it is a regular file.
  func claims(_ name: String, at path: String) -> Bool

  /// The reports of a file, or `nil` if the file is of another kind.
  ///
  /// - Parameter path: A file, or `-` for standard input.
  /// - Throws: `ReadingError` if the file is of this kind and cannot be read.
  func reports(in path: String) throws(ReadingError) -> [CrashReport]?
}

/// One report, or a log with any number of reports. It accepts every input that no other source accepts.
public struct LogSource: ReportSource {
  /// Makes the source.
  public init() {}

  /// Whether a file is a `*.json` file, or is a `*.spare` file and not empty. A `*.spare` file is for the report of a
  /// process that changed its user, for example with `setuid`. The file is empty until the process crashes.
  public func claims(_ name: String, at path: String) -> Bool {
    if name.hasSuffix(".json") { return true }
    var status = stat()
    return name.hasSuffix(".spare") && stat(path, &status) == 0 && status.st_size > 0
  }

  /// The reports in their order, never `nil`.
  public func reports(in path: String) throws(ReadingError) -> [CrashReport]? { try ReportReader.read(path) }
}
