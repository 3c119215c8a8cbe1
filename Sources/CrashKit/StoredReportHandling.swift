import Glibc
import LinuxCalls
import PreviousRuns

extension CrashKit.StoredReport {
  /// The whole report: JSON in UTF-8, one object on a line.
  ///
  /// - Throws: ``CrashKit/StoredReportError`` where the file is gone or cannot be read.
  public func data() throws(CrashKit.StoredReportError) -> [UInt8] {
    try Self.translating { () throws(SystemError) in
      let file = try ReportDirectory(path: directory).open(relativePath)
      return file.bytes(upTo: StoredReports.largestFile)
    }
  }

  /// Says that nothing more is to be done about the report: it moves to the folder's `handled`, in one step.
  ///
  /// - Returns: `false` where it was there already, or another process was first: of all callers one gets `true`.
  /// - Throws: ``CrashKit/StoredReportError`` where the file cannot be moved.
  @discardableResult
  public func markHandled() throws(CrashKit.StoredReportError) -> Bool {
    try Self.translating { () throws(SystemError) in
      try StoredReports(ReportDirectory(path: directory)).move(self, to: .handled)
    }
  }

  /// Removes the report.
  ///
  /// - Returns: `false` where it was gone already.
  /// - Throws: ``CrashKit/StoredReportError`` where the file cannot be removed.
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

  /// The ``subject``, and the system's words for ``code``.
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
  /// Reports of processes that were killed come to the folder shortly after ``install(_:)``, on a thread of its own;
  /// ``Configuration/onPreviousCrash`` is called after that. Files that are not reports, larger than 64 MiB, links and
  /// pipes are left out, with a line on stderr the first time. Callable from any thread; it reads at most the
  /// first 16 KiB of each of the 1,000 newest files.
  ///
  /// - Parameters:
  ///   - directory: The folder; `nil` is that of the installation.
  ///   - includingHandled: Whether those that were handled or set aside are listed as well.
  /// - Throws: ``StoredReportError`` where there is no such folder or it cannot be opened; before the installation and
  ///   with none named the code is `ENOENT`.
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
