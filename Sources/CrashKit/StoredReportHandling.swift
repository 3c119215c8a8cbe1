import Glibc
import LinuxCalls
import PreviousRuns

extension CrashKit.StoredReport {
  /// The whole report: JSON in UTF-8, one object on a line.
  ///
  /// - Throws: ``CrashKit/StoredReportError`` if the file is gone or cannot be read.
  public func data() throws(CrashKit.StoredReportError) -> [UInt8] {
    try Self.translating { () throws(SystemError) in
      let file = try ReportDirectory(path: directory).open(relativePath)
      return file.bytes(upTo: StoredReports.largestFile)
    }
  }

  /// Marks the report as handled: moves it to the subfolder `handled` of the folder of reports, in one step.
  ///
  /// - Returns: `true` if this call moved the report. `false` if the report was handled already, or if another process
  ///   was first. So only one of several callers gets `true`.
  /// - Throws: ``CrashKit/StoredReportError`` if the file cannot be moved.
  @discardableResult
  public func markHandled() throws(CrashKit.StoredReportError) -> Bool {
    try Self.translating { () throws(SystemError) in
      try StoredReports(ReportDirectory(path: directory)).move(self, to: .handled)
    }
  }

  /// Removes the report.
  ///
  /// - Returns: `false` if the report was removed already.
  /// - Throws: ``CrashKit/StoredReportError`` if the file cannot be removed.
  @discardableResult
  public func remove() throws(CrashKit.StoredReportError) -> Bool {
    try Self.translating { () throws(SystemError) in
      try StoredReports(ReportDirectory(path: directory)).remove(self)
    }
  }

  private static func translating<Result>(_ body: () throws(SystemError) -> Result) throws(CrashKit.StoredReportError)
    -> Result
  {
    do throws(SystemError) { return try body() } catch { throw CrashKit.StoredReportError(error) }
  }
}

extension CrashKit.StoredReportError: CustomStringConvertible {
  init(_ error: SystemError) { self.init(code: error.code, subject: error.subject) }

  /// The ``subject``, and the system's text for ``code``.
  public var description: String { "\(subject): \(errorText(code))" }
}

extension CrashKit {
  /// The reports in a folder, newest first.
  ///
  /// ```swift
  /// for report in try CrashKit.storedReports() {
  ///   try await upload(report.data())
  ///   try report.markHandled()
  /// }
  /// ```
  ///
  /// If an earlier process was killed, its report appears soon after ``install(_:)``: CrashKit makes the report on a
  /// separate thread, and then calls ``Configuration/onPreviousCrash``.
  ///
  /// The list leaves out links, pipes, files that are not reports, and files of more than 64 MiB. If such a file has
  /// the name of a report, a line on stderr shows why the list leaves it out. The list has at most the 1,000 newest
  /// reports. CrashKit reads at most the first 16 KiB of each file. You may call `storedReports` from any thread.
  ///
  /// - Parameters:
  ///   - directory: The folder; `nil` means the folder of the installation.
  ///   - includingHandled: Whether the list also has handled reports and reports that were set aside.
  /// - Throws: ``StoredReportError`` if the folder is missing or cannot be opened. If `directory` is `nil` and CrashKit
  ///   has no folder, for example before the installation, the code is `ENOENT`.
  public static func storedReports(
    in directory: String? = nil, includingHandled: Bool = false
  ) throws(StoredReportError) -> [StoredReport] {
    guard let path = directory ?? reportDirectory else {
      throw StoredReportError(code: ENOENT, subject: "report folder")
    }
    do throws(SystemError) {
      let store = StoredReports(try ReportDirectory(path: path))
      let (reports, notes) = store.list(StoredReport.State.allCases.filter { includingHandled || $0 == .new })
      for note in notes { say(note) }
      return reports
    } catch {
      throw StoredReportError(error)
    }
  }
}
