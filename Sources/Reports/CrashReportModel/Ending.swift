extension CrashReport {
  /// How a process ended that left no report of its own, of a report of kind `uncleanExit`.
  public struct Ending: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// What the traces come to.
    public var classification: Classification? {
      get { self["classification"] }
      set { self["classification"] = newValue }
    }

    /// What speaks for it, in sentences.
    public var evidence: [String]? {
      get { self["evidence"] }
      set { self["evidence"] = newValue }
    }

    /// The last moment at which the process is known to have lived.
    public var lastAlive: Timestamp? {
      get { self["lastAlive"] }
      set { self["lastAlive"] = newValue }
    }

    /// The random number of the process, in hexadecimal: tells processes with the same id apart.
    public var instance: String? {
      get { self["instance"] }
      set { self["instance"] = newValue }
    }

    /// The status of `_exit`.
    public var status: Int? {
      get { self["status"] }
      set { self["status"] = newValue }
    }

    /// The name of the file, in the same folder, that holds what was written of a crash report.
    public var unfinishedReport: String? {
      get { self["unfinishedReport"] }
      set { self["unfinishedReport"] = newValue }
    }

    /// Whether Swift Testing had started the process for the body of an exit test.
    public var isExitTest: Bool? {
      get { self["isExitTest"] }
      set { self["isExitTest"] = newValue }
    }

    /// The ways to end without a report.
    public enum Classification: String, JSONRepresentable, Sendable, CaseIterable {
      /// As the program wanted to; of such an end there is no report.
      case clean
      /// A crash was seen, and its report was not finished.
      case crash
      /// A hang was under way.
      case hang
      /// By a signal that no program can handle or this one did not, as far as can be told.
      case killed
      /// By the kernel, for lack of memory.
      case memoryLimit
      /// In another way, or nobody knows.
      case unexplained
    }
  }

  /// How the process ended, in a report of kind `uncleanExit`.
  public var ending: Ending? {
    get { self["ending"] }
    set { self["ending"] = newValue }
  }
}
