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

    /// What the control group's counters said as the report was made.
    public var events: Events? {
      get { self["events"] }
      set { self["events"] = newValue }
    }

    /// How long tasks had waited for memory then.
    public var pressure: Pressure? {
      get { self["pressure"] }
      set { self["pressure"] = newValue }
    }
  }
}

extension CrashReport.Memory {
  /// What a control group ran into since it was made. Version 1 has `max` and `oomKill` alone.
  public struct Events: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Times over its soft limit.
    public var high: Int? {
      get { self["high"] }
      set { self["high"] = newValue }
    }

    /// Times at its limit.
    public var max: Int? {
      get { self["max"] }
      set { self["max"] = newValue }
    }

    /// Times at its limit with nothing to reclaim.
    public var oom: Int? {
      get { self["oom"] }
      set { self["oom"] = newValue }
    }

    /// Processes that the kernel ended.
    public var oomKill: Int? {
      get { self["oomKill"] }
      set { self["oomKill"] = newValue }
    }
  }
}

extension CrashReport.Memory {
  /// Shares of the ten seconds before, in percent.
  public struct Pressure: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// A task at least waited for memory.
    public var some: Double? {
      get { self["some"] }
      set { self["some"] = newValue }
    }

    /// All tasks did.
    public var full: Double? {
      get { self["full"] }
      set { self["full"] = newValue }
    }
  }
}

extension CrashReport {
  /// The machine of an event.
  public struct Host: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The host's name, unless `CRASHKIT_OPTIONS=hostname=no` left it out.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The container's identifier.
    public var containerId: String? {
      get { self["containerId"] }
      set { self["containerId"] = newValue }
    }

    /// The pod of Kubernetes.
    public var pod: String? {
      get { self["pod"] }
      set { self["pod"] = newValue }
    }

    /// The pod's namespace.
    public var namespace: String? {
      get { self["namespace"] }
      set { self["namespace"] = newValue }
    }

    /// The service of systemd.
    public var unit: String? {
      get { self["unit"] }
      set { self["unit"] = newValue }
    }

    /// The tag of the container's image.
    public var imageTag: String? {
      get { self["imageTag"] }
      set { self["imageTag"] = newValue }
    }

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

extension CrashReport {
  /// Attributes by which programs name the machine that they run on; the first is OpenTelemetry's.
  private static let hostKeys = ["host.name", "host", "hostname"]

  /// Where the program ran: what it says itself, else the pod, else the host.
  package var hostName: String? {
    let named = Self.hostKeys.lazy.compactMap { attributes?[$0].flatMap(String.init(json:)) }
    return named.first { !$0.isEmpty && $0 != Self.scrubbedText } ?? host?.pod ?? host?.name
  }
}
