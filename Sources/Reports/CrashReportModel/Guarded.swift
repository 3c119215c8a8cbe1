extension CrashReport {
  /// The guarded memory that caused a crash.
  public struct Guarded: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Its first address.
    public var address: Address? {
      get { self["address"] }
      set { self["address"] = newValue }
    }

    /// Its size in bytes, as the program allocated it.
    public var size: Int? {
      get { self["size"] }
      set { self["size"] = newValue }
    }

    /// The distance in bytes from the beginning of the memory to the place that was used or released.
    public var offset: Int? {
      get { self["offset"] }
      set { self["offset"] = newValue }
    }

    /// The class of the Swift object in it, without generic arguments.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// Its allocation.
    public var allocated: Step? {
      get { self["allocated"] }
      set { self["allocated"] = newValue }
    }

    /// Its release; absent if the memory was still in use.
    public var released: Step? {
      get { self["released"] }
      set { self["released"] = newValue }
    }
  }
}

extension CrashReport.Guarded {
  /// What a thread did with the memory.
  public struct Step: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The thread's id.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// The thread's stack at that moment. The first frame is the caller of the function that allocated or released the
    /// memory.
    public var frames: [CrashReport.Frame]? {
      get { self["frames"] }
      set { self["frames"] = newValue }
    }
  }
}
