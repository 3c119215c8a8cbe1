extension CrashReport {
  /// An entry that the program recorded before the event.
  public struct Breadcrumb: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// When it was recorded.
    public var time: Timestamp? {
      get { self["time"] }
      set { self["time"] = newValue }
    }

    /// The thread that recorded it.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// The id of the Swift task that recorded it.
    public var task: Int? {
      get { self["task"] }
      set { self["task"] = newValue }
    }

    /// Its level, such as `info`.
    public var level: String? {
      get { self["level"] }
      set { self["level"] = newValue }
    }

    /// Its category, such as `lifecycle`.
    public var category: String? {
      get { self["category"] }
      set { self["category"] = newValue }
    }

    /// What happened.
    public var message: String? {
      get { self["message"] }
      set { self["message"] = newValue }
    }

    /// Further keys and values.
    public var attributes: JSONObject? {
      get { self["attributes"] }
      set { self["attributes"] = newValue }
    }
  }
}

extension CrashReport {
  /// The last value of a metric.
  public struct Metric: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The metric's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The last value.
    public var value: Double? {
      get { self["value"] }
      set { self["value"] = newValue }
    }

    /// The unit.
    public var unit: String? {
      get { self["unit"] }
      set { self["unit"] = newValue }
    }

    /// The value beyond which the metric is critical.
    public var threshold: Double? {
      get { self["threshold"] }
      set { self["threshold"] = newValue }
    }

    /// What the value means: `nominal`, `critical` or `unknown`.
    public var state: String? {
      get { self["state"] }
      set { self["state"] = newValue }
    }

    /// When the value was set.
    public var updatedAt: Timestamp? {
      get { self["updatedAt"] }
      set { self["updatedAt"] = newValue }
    }
  }
}
