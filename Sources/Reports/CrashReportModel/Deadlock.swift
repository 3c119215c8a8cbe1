extension CrashReport {
  /// Threads that wait for each other in a circle, so that none of them continues.
  public struct Deadlock: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The threads of the circle. The `owner` of each step is the thread of the next step; the `owner` of the last is
    /// the first thread.
    public var steps: [Step]? {
      get { self["steps"] }
      set { self["steps"] = newValue }
    }

    /// The other circles of the report; absent if there is only this circle. The other circles never have this key.
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

    /// The address of the lock for which it waits.
    public var address: Address? {
      get { self["address"] }
      set { self["address"] = newValue }
    }

    /// The kind of lock; `thread` means that the thread waits for the end of another thread.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// How the thread wants to take the lock: `exclusive` or `shared`.
    public var mode: String? {
      get { self["mode"] }
      set { self["mode"] = newValue }
    }

    /// The id of the thread that holds the lock, or of the joined thread.
    public var owner: Int? {
      get { self["owner"] }
      set { self["owner"] = newValue }
    }

    /// The name of the lock: the program's name for it, a queue's label, or the name of the lock's variable.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }
  }
}
