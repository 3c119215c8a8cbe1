extension CrashKit {
  /// A report in a folder. There are none on this system.
  public struct StoredReport: Sendable, Hashable, Identifiable {
    /// What became of a report.
    public enum State: String, Sendable, Hashable, CaseIterable {
      /// Not yet handled.
      case new
      /// Handled.
      case handled
      /// Given in vain three times.
      case setAside
    }

    /// The file's name.
    public let name: String
    /// The folder of reports.
    public let directory: String
    /// What became of it.
    public let state: State
    /// When the event was, in seconds since 1970.
    public let secondsSince1970: Double
    /// What kind of event it was, such as `crashReport`.
    public let kind: String
    /// The process.
    public let pid: Int32
    /// The size of the file in bytes.
    public let size: Int
    /// The signal, such as `SIGSEGV`.
    public let signal: String?
    /// The cause, in words.
    public let cause: String?

    public var id: String { name }

    /// The path of the file.
    public var path: String { "\(directory)/\(name)" }

    /// Reads nothing.
    public func data() throws(StoredReportError) -> [UInt8] { [] }

    /// Changes nothing, and returns `false`.
    @discardableResult
    public func markHandled() throws(StoredReportError) -> Bool { false }

    /// Changes nothing, and returns `false`.
    @discardableResult
    public func remove() throws(StoredReportError) -> Bool { false }
  }

  /// Why a report, or the folder, could not be read or changed.
  public struct StoredReportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The `errno` of the system call.
    public let code: Int32
    /// What it was about.
    public let subject: String

    public var description: String { "\(subject): error \(code)" }
  }

  /// Returns no reports.
  public static func storedReports(
    in directory: String? = nil, includingHandled: Bool = false
  ) throws(StoredReportError) -> [StoredReport] { [] }
}
