import Glibc
import LinuxCalls
import PreviousRuns

extension CrashKit {
  /// A report in the folder of reports: its file's name, and the first lines of its contents.
  ///
  /// A value is a note of what was there when the folder was listed; other processes may have moved or removed the file
  /// since. All members may be used from any thread.
  public struct StoredReport: Sendable, Hashable, Identifiable {
    /// Whether a report waits.
    public enum State: String, Sendable, Hashable, CaseIterable {
      /// Not yet handled: in the folder of reports itself.
      case new
      /// ``StoredReport/markHandled()`` was called: in the folder's `handled`.
      case handled
      /// The program died each time that it was handed over: in the folder's `set-aside`.
      case setAside
    }

    /// The name of the file, which stays the same in all states. Names sort by time.
    public let name: String
    /// The folder of reports.
    public let directory: String
    /// Whether it waits.
    public let state: State
    /// When the event was, in seconds since 1970-01-01T00:00:00Z, to the millisecond: what Foundation's
    /// `Date(timeIntervalSince1970:)` takes.
    public let secondsSince1970: Double
    /// What the event was: `crashReport`, `uncleanExit`, `hang`, … as in `Docs/report-format.md`.
    public let kind: String
    /// The process, in its own namespace.
    public let pid: Int32
    /// The size of the file in bytes.
    public let size: Int
    /// The signal's name, such as `SIGSEGV`, where there was one.
    public let signal: String?
    /// Why it happened, in a sentence, where that is known. Text from the file: not fit for a terminal as it is.
    public let cause: String?

    public var id: String { name }

    /// The path of the file.
    public var path: String { "\(directory)/\(relativePath)" }

    var relativePath: String { Self.folder(of: state).map { "\($0)/\(name)" } ?? name }

    static func folder(of state: State) -> String? {
      switch state {
      case .new: nil
      case .handled: "handled"
      case .setAside: "set-aside"
      }
    }

    /// The whole report: JSON in UTF-8, one object on a line.
    ///
    /// - Throws: ``StoredReportError`` where the file is gone or cannot be read.
    public func data() throws(StoredReportError) -> [UInt8] {
      try Self.translating { () throws(SystemError) in
        let file = try ReportDirectory(path: directory).open(relativePath)
        return file.bytes(upTo: StoredReports.largestFile)
      }
    }

    /// Says that nothing more is to be done about the report: it moves to the folder's `handled`, in one step.
    ///
    /// - Returns: `false` where it was there already, or another process was first: of all callers one gets `true`.
    /// - Throws: ``StoredReportError`` where the file cannot be moved.
    @discardableResult
    public func markHandled() throws(StoredReportError) -> Bool {
      try Self.translating { () throws(SystemError) in
        try StoredReports(ReportDirectory(path: directory)).move(self, to: .handled)
      }
    }

    /// Removes the report.
    ///
    /// - Returns: `false` where it was gone already.
    /// - Throws: ``StoredReportError`` where the file cannot be removed.
    @discardableResult
    public func remove() throws(StoredReportError) -> Bool {
      try Self.translating { () throws(SystemError) in
        try StoredReports(ReportDirectory(path: directory)).remove(self)
      }
    }

    private static func translating<Result>(_ body: () throws(SystemError) -> Result) throws(StoredReportError)
      -> Result
    {
      do throws(SystemError) { return try body() } catch { throw StoredReportError(error) }
    }
  }

  /// Why stored reports could not be had.
  public struct StoredReportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The `errno` of the system call that was refused.
    public let code: Int32
    /// The file or folder that it was about.
    public let subject: String

    init(_ error: SystemError) {
      code = error.code
      subject = error.subject
    }

    init(code: Int32, subject: String) {
      self.code = code
      self.subject = subject
    }

    public var description: String { "\(subject): \(errorText(code))" }
  }

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
