extension CrashReport {
  /// How a report was made.
  public struct Capture: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The version of the writer.
    public var version: String? {
      get { self["version"] }
      set { self["version"] = newValue }
    }

    /// The unwinder that was used.
    public var unwinder: String? {
      get { self["unwinder"] }
      set { self["unwinder"] = newValue }
    }

    /// How many seconds passed from the signal to the last stack.
    public var captureTime: Double? {
      get { self["captureTime"] }
      set { self["captureTime"] = newValue }
    }

    /// How many seconds it took to write the report.
    public var writeTime: Double? {
      get { self["writeTime"] }
      set { self["writeTime"] = newValue }
    }

    /// For how many seconds another process, such as `crashsym capture --stop`, stopped the program's threads to read
    /// them.
    public var stopTime: Double? {
      get { self["stopTime"] }
      set { self["stopTime"] = newValue }
    }

    /// How many threads the process had.
    public var threads: Int? {
      get { self["threads"] }
      set { self["threads"] = newValue }
    }

    /// How the Swift tasks were found.
    public var tasks: TaskSearch? {
      get { self["tasks"] }
      set { self["tasks"] = newValue }
    }

    /// The threads that gave no stack, and why.
    public var unanswered: [Note]? {
      get { self["unanswered"] }
      set { self["unanswered"] = newValue }
    }

    /// The ids of threads without an alternate signal stack.
    public var unprotected: [Int]? {
      get { self["unprotected"] }
      set { self["unprotected"] = newValue }
    }

    /// The parts of the report that are incomplete, and why.
    public var cutShort: [Note]? {
      get { self["cutShort"] }
      set { self["cutShort"] = newValue }
    }
  }
}

extension CrashReport {
  /// A missing part and the reason.
  public struct Note: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The id of the thread that gave no stack. Only the notes in `unanswered` have it.
    public var id: Int? {
      get { self["id"] }
      set { self["id"] = newValue }
    }

    /// Which part of the report was cut short. Only the notes in `cutShort` have it.
    public var what: String? {
      get { self["what"] }
      set { self["what"] = newValue }
    }

    /// The reason.
    public var reason: String? {
      get { self["reason"] }
      set { self["reason"] = newValue }
    }
  }
}

extension CrashReport {
  /// How the tasks of a report were found, or why there are none.
  public struct TaskSearch: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Why CrashKit did not look for tasks.
    public var none: String? {
      get { self["none"] }
      set { self["none"] = newValue }
    }

    /// The way in which the tasks were found: `memorySearch`.
    public var foundBy: String? {
      get { self["foundBy"] }
      set { self["foundBy"] = newValue }
    }

    /// How many tasks were found.
    public var count: Int? {
      get { self["count"] }
      set { self["count"] = newValue }
    }

    /// How many bytes of memory were searched.
    public var searchedBytes: Int? {
      get { self["searchedBytes"] }
      set { self["searchedBytes"] = newValue }
    }

    /// How many seconds the search took.
    public var time: Double? {
      get { self["time"] }
      set { self["time"] = newValue }
    }

    /// Whether the search ran out of time; absent if not.
    public var isCut: Bool? {
      get { self["isCut"] }
      set { self["isCut"] = newValue }
    }
  }
}
