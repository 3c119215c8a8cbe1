extension CrashReport {
  /// The signal of an event.
  public struct Signal: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The signal's number.
    public var number: Int? {
      get { self["number"] }
      set { self["number"] = newValue }
    }

    /// Its name, such as `SIGSEGV`.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The signal's `si_code`.
    public var code: Int? {
      get { self["code"] }
      set { self["code"] = newValue }
    }

    /// The code's name, such as `SEGV_MAPERR`.
    public var codeName: String? {
      get { self["codeName"] }
      set { self["codeName"] = newValue }
    }

    /// The id of the process that sent the signal; absent if no process sent it.
    public var pid: Int? {
      get { self["pid"] }
      set { self["pid"] = newValue }
    }

    /// The id of the user whose process sent the signal; absent if no process sent it.
    public var uid: Int? {
      get { self["uid"] }
      set { self["uid"] = newValue }
    }
  }
}

extension CrashReport {
  /// The process of an event.
  public struct Process: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The process id, in the process's own PID namespace.
    public var pid: Int? {
      get { self["pid"] }
      set { self["pid"] = newValue }
    }

    /// The process's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// When it was started.
    public var startedAt: Timestamp? {
      get { self["startedAt"] }
      set { self["startedAt"] = newValue }
    }

    /// How many seconds the process had run at the event.
    public var uptime: Double? {
      get { self["uptime"] }
      set { self["uptime"] = newValue }
    }

    /// The arguments of the command line. Absent unless the program turned on this field.
    public var arguments: [String]? {
      get { self["arguments"] }
      set { self["arguments"] = newValue }
    }
  }
}

extension CrashReport {
  /// The application that runs in the process.
  public struct Application: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The application's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// Its version.
    public var version: String? {
      get { self["version"] }
      set { self["version"] = newValue }
    }

    /// Its build.
    public var build: String? {
      get { self["build"] }
      set { self["build"] = newValue }
    }
  }
}
