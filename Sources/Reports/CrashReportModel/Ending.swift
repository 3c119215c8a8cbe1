extension CrashReport {
  /// How a process ended that did not finish a report about its own end. Another process found this out and wrote it
  /// into a report of kind `uncleanExit`.
  public struct Ending: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The verdict from the evidence.
    public var classification: Classification? {
      get { self["classification"] }
      set { self["classification"] = newValue }
    }

    /// The evidence, in sentences.
    public var evidence: [String]? {
      get { self["evidence"] }
      set { self["evidence"] = newValue }
    }

    /// The last moment at which the process is known to have lived.
    public var lastAlive: Timestamp? {
      get { self["lastAlive"] }
      set { self["lastAlive"] = newValue }
    }

    /// A random number in hexadecimal, which distinguishes processes with the same id.
    public var instance: String? {
      get { self["instance"] }
      set { self["instance"] = newValue }
    }

    /// The status with which the process called `_exit`.
    public var status: Int? {
      get { self["status"] }
      set { self["status"] = newValue }
    }

    /// The name of the file that has the unfinished crash report. The file is in the same folder as this report.
    public var unfinishedReport: String? {
      get { self["unfinishedReport"] }
      set { self["unfinishedReport"] = newValue }
    }

    /// Whether Swift Testing had started the process for the body of an exit test.
    public var isExitTest: Bool? {
      get { self["isExitTest"] }
      set { self["isExitTest"] = newValue }
    }

    /// The ways in which a process can end without a finished report of its own.
    public enum Classification: String, JSONRepresentable, Sendable, CaseIterable {
      /// The end was planned. It has no report.
      case clean
      /// The process crashed, and its report was not finished.
      case crash
      /// The process hung.
      case hang
      /// A signal killed the process. As far as is known, no program can handle the signal, or this program did not
      /// handle it.
      case killed
      /// The kernel killed the process for lack of memory.
      case memoryLimit
      /// The process ended in another or an unknown way.
      case unexplained
    }
  }

  /// How the process ended, in a report of kind `uncleanExit`.
  public var ending: Ending? {
    get { self["ending"] }
    set { self["ending"] = newValue }
  }
}
