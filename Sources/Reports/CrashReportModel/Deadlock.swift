extension CrashReport {
  /// Threads that wait for each other in a circle: none of them goes on.
  public struct Deadlock: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Each thread of the circle; the owner of what one waits for is the next one, and that of the last is the first.
    public var steps: [Step]? {
      get { self["steps"] }
      set { self["steps"] = newValue }
    }

    /// The other circles of the report; absent if there is only this one. Theirs is absent always.
    public var others: [Deadlock]? {
      get { self["others"] }
      set { self["others"] = newValue }
    }

    /// This circle and the others.
    public var circles: [Deadlock] { [self] + (others ?? []) }
  }
}

extension CrashReport.Deadlock {
  /// A thread of the circle, and what it waits for.
  public struct Step: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The kernel's id of the thread.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// Where what it waits for lies in memory.
    public var address: Address? {
      get { self["address"] }
      set { self["address"] = newValue }
    }

    /// What kind of lock it is, or `thread` for the end of one.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// `exclusive` or `shared`.
    public var mode: String? {
      get { self["mode"] }
      set { self["mode"] = newValue }
    }

    /// The thread that has it, or that is to end.
    public var owner: Int? {
      get { self["owner"] }
      set { self["owner"] = newValue }
    }

    /// A queue's label, or the variable that a lock is.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }
  }
}
