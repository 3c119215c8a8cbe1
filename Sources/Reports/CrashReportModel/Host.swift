extension CrashReport {
  /// The process's memory in bytes.
  public struct Memory: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The resident memory in bytes.
    public var resident: Int? {
      get { self["resident"] }
      set { self["resident"] = newValue }
    }

    /// The peak of resident memory, in bytes.
    public var peak: Int? {
      get { self["peak"] }
      set { self["peak"] = newValue }
    }

    /// The mapped address space in bytes.
    public var virtual: Int? {
      get { self["virtual"] }
      set { self["virtual"] = newValue }
    }

    /// The memory limit of the process's control group, in bytes.
    public var limit: Int? {
      get { self["limit"] }
      set { self["limit"] = newValue }
    }

    /// The control group's counters when the report was made.
    public var events: Events? {
      get { self["events"] }
      set { self["events"] = newValue }
    }

    /// For what share of the last ten seconds tasks waited for memory.
    public var pressure: Pressure? {
      get { self["pressure"] }
      set { self["pressure"] = newValue }
    }
  }
}

extension CrashReport.Memory {
  /// The events of a control group since it was made. Version 1 of control groups has only `max` and `oomKill`.
  public struct Events: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// How often the group exceeded its soft limit.
    public var high: Int? {
      get { self["high"] }
      set { self["high"] = newValue }
    }

    /// How often the group was at its limit.
    public var max: Int? {
      get { self["max"] }
      set { self["max"] = newValue }
    }

    /// How often the group was at its limit and the kernel could reclaim no memory.
    public var oom: Int? {
      get { self["oom"] }
      set { self["oom"] = newValue }
    }

    /// How many processes the kernel killed for lack of memory.
    public var oomKill: Int? {
      get { self["oomKill"] }
      set { self["oomKill"] = newValue }
    }
  }
}

extension CrashReport.Memory {
  /// For what share of the last ten seconds tasks waited for memory, in percent.
  public struct Pressure: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The share of time in which at least one task waited for memory.
    public var some: Double? {
      get { self["some"] }
      set { self["some"] = newValue }
    }

    /// The share of time in which all tasks waited for memory.
    public var full: Double? {
      get { self["full"] }
      set { self["full"] = newValue }
    }
  }
}

extension CrashReport {
  /// The machine on which the event happened.
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

    /// The Kubernetes pod.
    public var pod: String? {
      get { self["pod"] }
      set { self["pod"] = newValue }
    }

    /// The pod's namespace.
    public var namespace: String? {
      get { self["namespace"] }
      set { self["namespace"] = newValue }
    }

    /// The systemd unit.
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

    /// How many processors are online.
    public var cores: Int? {
      get { self["cores"] }
      set { self["cores"] = newValue }
    }

    /// The machine's memory in bytes.
    public var memory: Int? {
      get { self["memory"] }
      set { self["memory"] = newValue }
    }
  }
}

extension CrashReport {
  /// Attributes by which programs name the machine that they run on; the first is OpenTelemetry's.
  private static let hostKeys = ["host.name", "host", "hostname"]

  /// The host of the program: its own attribute, else the pod, else the host's name.
  package var hostName: String? {
    let named = Self.hostKeys.lazy.compactMap { attributes?[$0].flatMap(String.init(json:)) }
    return named.first { !$0.isEmpty && $0 != Self.scrubbedText } ?? host?.pod ?? host?.name
  }
}
