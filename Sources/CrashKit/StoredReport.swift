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

  /// Why stored reports could not be had.
  public struct StoredReportError: Error, Sendable, Hashable {
    /// The `errno` of the system call that was refused.
    public let code: Int32
    /// The file or folder that it was about.
    public let subject: String
  }
}
