extension CrashReport {
  /// The process's memory in bytes.
  public struct Memory: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Resident bytes.
    public var resident: Int? {
      get { self["resident"] }
      set { self["resident"] = newValue }
    }

    /// The most that was resident, in bytes.
    public var peak: Int? {
      get { self["peak"] }
      set { self["peak"] = newValue }
    }

    /// Mapped bytes.
    public var virtual: Int? {
      get { self["virtual"] }
      set { self["virtual"] = newValue }
    }

    /// The limit of the process's control group in bytes.
    public var limit: Int? {
      get { self["limit"] }
      set { self["limit"] = newValue }
    }
  }
}

extension CrashReport {
  /// The machine of an event.
  public struct Host: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The machine's architecture as the kernel names it.
    public var machine: String? {
      get { self["machine"] }
      set { self["machine"] = newValue }
    }

    /// The operating system.
    public var osName: String? {
      get { self["osName"] }
      set { self["osName"] = newValue }
    }

    /// Its version.
    public var osVersion: String? {
      get { self["osVersion"] }
      set { self["osVersion"] = newValue }
    }

    /// The kernel's release.
    public var kernel: String? {
      get { self["kernel"] }
      set { self["kernel"] = newValue }
    }

    /// Processors that are online.
    public var cores: Int? {
      get { self["cores"] }
      set { self["cores"] = newValue }
    }

    /// Bytes of memory.
    public var memory: Int? {
      get { self["memory"] }
      set { self["memory"] = newValue }
    }
  }
}
