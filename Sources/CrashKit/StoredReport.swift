extension CrashKit {
  /// A report in the folder of reports: the name of its file, and the beginning of its contents.
  ///
  /// A value describes the moment when the folder was listed. Other processes may have moved or removed the file since.
  /// You may use all members from any thread.
  public struct StoredReport: Sendable, Hashable, Identifiable {
    /// Whether a report is new, handled or set aside.
    public enum State: String, Sendable, Hashable, CaseIterable {
      /// The report is not yet handled. Its file is in the folder of reports itself.
      case new
      /// ``StoredReport/markHandled()`` was called. The file is in the subfolder `handled`.
      case handled
      /// The program died three times while it handled this report. The file is in the subfolder `set-aside`.
      case setAside
    }

    /// The name of the file, which stays the same in all states. Names sort by time.
    public let name: String
    /// The folder of reports.
    public let directory: String
    /// Whether the report is new, handled or set aside.
    public let state: State
    /// The time of the event in seconds since 1970-01-01T00:00:00Z, to the millisecond, for Foundation's
    /// `Date(timeIntervalSince1970:)`.
    public let secondsSince1970: Double
    /// The kind of event: `crashReport`, `uncleanExit`, `hang`, … as in `Docs/report-format.md`.
    public let kind: String
    /// The id of the process, in the process's own PID namespace.
    public let pid: Int32
    /// The size of the file in bytes.
    public let size: Int
    /// The signal's name, such as `SIGSEGV`; `nil` if there was no signal.
    public let signal: String?
    /// The cause of the event in a sentence; `nil` if it is not known. The text comes unchecked from the file: do not
    /// print it on a terminal as it is.
    public let cause: String?

    /// The file's ``name``.
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
  }

  /// Why stored reports could not be read or changed.
  public struct StoredReportError: Error, Sendable, Hashable {
    /// The `errno` of the system call that was refused.
    public let code: Int32
    /// The file or folder to which the error belongs.
    public let subject: String
  }
}
