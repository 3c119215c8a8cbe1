extension CrashReport {
  /// What a task was at, as the program said by `CrashKit.withContext`.
  public struct Context: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// What it was at, such as a request.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The trace that it is part of.
    public var trace: Trace? {
      get { self["trace"] }
      set { self["trace"] = newValue }
    }

    /// Keys and values, those of the contexts around it included.
    public var attributes: JSONObject? {
      get { self["attributes"] }
      set { self["attributes"] = newValue }
    }

    /// How many more keys there were.
    public var omittedAttributes: Int? {
      get { self["omittedAttributes"] }
      set { self["omittedAttributes"] = newValue }
    }
  }

  /// A trace, and the span in it that was under way.
  public struct Trace: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// 32 hexadecimal digits.
    public var traceId: String? {
      get { self["traceId"] }
      set { self["traceId"] = newValue }
    }

    /// 16 hexadecimal digits.
    public var spanId: String? {
      get { self["spanId"] }
      set { self["spanId"] = newValue }
    }
  }
}
