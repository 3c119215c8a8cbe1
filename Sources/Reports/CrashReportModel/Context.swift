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

    /// Keys and values, those of the contexts around it included.
    public var attributes: JSONObject? {
      get { self["attributes"] }
      set { self["attributes"] = newValue }
    }
  }
}
