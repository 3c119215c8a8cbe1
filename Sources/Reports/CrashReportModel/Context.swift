extension CrashReport {
  /// The context of a task, as the program set it with `CrashKit.withContext`.
  public struct Context: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The name of the work, such as `GET /orders/42`.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The trace to which it belongs.
    public var trace: Trace? {
      get { self["trace"] }
      set { self["trace"] = newValue }
    }

    /// The keys and values of this context, and those of the contexts that enclose it.
    public var attributes: JSONObject? {
      get { self["attributes"] }
      set { self["attributes"] = newValue }
    }

    /// How many keys were left out of `attributes`.
    public var omittedAttributes: Int? {
      get { self["omittedAttributes"] }
      set { self["omittedAttributes"] = newValue }
    }
  }

  /// A trace, and the span that was current when the context was opened.
  public struct Trace: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The trace's id: 32 hexadecimal digits.
    public var traceId: String? {
      get { self["traceId"] }
      set { self["traceId"] = newValue }
    }

    /// The span's id: 16 hexadecimal digits.
    public var spanId: String? {
      get { self["spanId"] }
      set { self["spanId"] = newValue }
    }
  }
}
