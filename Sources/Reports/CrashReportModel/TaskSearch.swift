extension CrashReport {
  /// How the tasks of a report were found, or why there are none.
  public struct TaskSearch: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Why no task was looked for.
    public var none: String? {
      get { self["none"] }
      set { self["none"] = newValue }
    }

    /// The way they were found: `memorySearch`.
    public var foundBy: String? {
      get { self["foundBy"] }
      set { self["foundBy"] = newValue }
    }

    /// How many were found.
    public var count: Int? {
      get { self["count"] }
      set { self["count"] = newValue }
    }

    /// Bytes of memory that were searched.
    public var searchedBytes: Int? {
      get { self["searchedBytes"] }
      set { self["searchedBytes"] = newValue }
    }

    /// Seconds that the search took.
    public var time: Double? {
      get { self["time"] }
      set { self["time"] = newValue }
    }

    /// Whether the time was up before all memory was searched; absent if not.
    public var isCut: Bool? {
      get { self["isCut"] }
      set { self["isCut"] = newValue }
    }
  }
}
