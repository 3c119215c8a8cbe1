extension CrashReport {
  /// The images that could not be symbolicated.
  public struct Symbolication: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Images whose symbols or debug information could not be found.
    public var missingImages: [MissingImage]? {
      get { self["missingImages"] }
      set { self["missingImages"] = newValue }
    }

    /// Images for which the report has no build ID, so that their files could be found only by name.
    public var unverifiedImages: [UnverifiedImage]? {
      get { self["unverifiedImages"] }
      set { self["unverifiedImages"] = newValue }
    }
  }
}

extension CrashReport {
  /// An image whose file may be from another build than the image that ran.
  public struct UnverifiedImage: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The image's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The file that was used.
    public var foundPath: String? {
      get { self["foundPath"] }
      set { self["foundPath"] = newValue }
    }

    /// Whether that file was changed after the report was made.
    public var isChangedSince: Bool? {
      get { self["changedSince"] }
      set { self["changedSince"] = newValue }
    }
  }
}

extension CrashReport {
  /// An image whose symbols or debug information could not be found.
  public struct MissingImage: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The image's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The build ID that the report has for the image.
    public var buildID: String? {
      get { self["buildId"] }
      set { self["buildId"] = newValue }
    }

    /// The path that the report names.
    public var path: String? {
      get { self["path"] }
      set { self["path"] = newValue }
    }

    /// What the image's file has instead of debug information; absent if no file was found.
    public var debugInfo: DebugInfo? {
      get { self["debugInfo"] }
      set { self["debugInfo"] = newValue }
    }

    /// What a file has in place of debug information.
    public enum DebugInfo: String, JSONRepresentable, Sendable, CaseIterable {
      case symbolTable, dynamicSymbols
      case nothing = "none"
    }

    /// The path of the file that was found. If `debugInfo` is present, this is the image's own file; otherwise it is a
    /// file of another build.
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
