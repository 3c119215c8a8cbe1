extension CrashReport {
  /// What could not be symbolicated.
  public struct Symbolication: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Images whose symbols could not be found.
    public var missingImages: [MissingImage]? {
      get { self["missingImages"] }
      set { self["missingImages"] = newValue }
    }
  }
}

extension CrashReport {
  /// An image whose symbols could not be found.
  public struct MissingImage: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The image's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The build ID that was looked for.
    public var buildID: String? {
      get { self["buildId"] }
      set { self["buildId"] = newValue }
    }

    /// The path that the report names.
    public var path: String? {
      get { self["path"] }
      set { self["path"] = newValue }
    }

    /// A file that was found instead, of another build.
    public var foundPath: String? {
      get { self["foundPath"] }
      set { self["foundPath"] = newValue }
    }

    /// The build ID of that file.
    public var foundBuildID: String? {
      get { self["foundBuildId"] }
      set { self["foundBuildId"] = newValue }
    }

    /// Every place that was searched.
    public var searched: [String]? {
      get { self["searched"] }
      set { self["searched"] = newValue }
    }
  }
}
