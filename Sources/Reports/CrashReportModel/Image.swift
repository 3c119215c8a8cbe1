extension CrashReport {
  /// A binary that was loaded into the process.
  public struct Image: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The file's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The build ID in lower-case hexadecimal.
    public var buildID: String? {
      get { self["buildId"] }
      set { self["buildId"] = newValue }
    }

    /// The path at the time of the event.
    public var path: String? {
      get { self["path"] }
      set { self["path"] = newValue }
    }

    /// The address at which the image's first segment was mapped.
    public var baseAddress: Address? {
      get { self["baseAddress"] }
      set { self["baseAddress"] = newValue }
    }

    /// The address at which its code ends.
    public var endOfText: Address? {
      get { self["endOfText"] }
      set { self["endOfText"] = newValue }
    }
  }
}
