extension CrashReport {
  /// A Swift task that lived when the report was made, whether a thread ran it or not.
  public struct LiveTask: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The task's id. Ids grow with time: the lower, the older.
    public var id: Int? {
      get { self["id"] }
      set { self["id"] = newValue }
    }

    /// The task's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The id of the task that a child task belongs to.
    public var parent: Int? {
      get { self["parent"] }
      set { self["parent"] = newValue }
    }

    /// Whether a thread runs it, it waits for a thread to run it, or it waits for something else.
    public var state: State? {
      get { self["state"] }
      set { self["state"] = newValue }
    }

    /// The id of the thread that runs it.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// The context that it is in.
    public var context: Context? {
      get { self["context"] }
      set { self["context"] = newValue }
    }

    /// The raw value of its `TaskPriority`.
    public var priority: Int? {
      get { self["priority"] }
      set { self["priority"] = newValue }
    }

    /// Whether it was cancelled; absent if not.
    public var isCancelled: Bool? {
      get { self["isCancelled"] }
      set { self["isCancelled"] = newValue }
    }

    /// What it waits for; absent while a thread runs it.
    public var awaits: Awaited? {
      get { self["awaits"] }
      set { self["awaits"] = newValue }
    }

    /// Seconds since an earlier look of the same process saw it first with these frames; absent if the last look did not.
    public var unmovedFor: Double? {
      get { self["unmovedFor"] }
      set { self["unmovedFor"] = newValue }
    }

    /// Whether this report was made since the task is stuck; absent if not. In reports of the kind `stuckTask`.
    public var isStuck: Bool? {
      get { self["isStuck"] }
      set { self["isStuck"] = newValue }
    }

    /// How many tasks have these frames, this one among them. Not all of them need be listed.
    public var alike: Int? {
      get { self["alike"] }
      set { self["alike"] = newValue }
    }

    /// The id of the task whose frames this one has too.
    public var framesOf: Int? {
      get { self["framesOf"] }
      set { self["framesOf"] = newValue }
    }

    /// Where it goes on, then its callers outwards.
    public var frames: [Frame]? {
      get { self["frames"] }
      set { self["frames"] = newValue }
    }

    /// What a task does.
    public enum State: String, JSONRepresentable, Sendable, CaseIterable {
      case running, enqueued, suspended
    }

    /// What a task waits for.
    public struct Awaited: ReportSection {
      public var fields: JSONObject
      public init(fields: JSONObject) { self.fields = fields }

      /// Which kind of thing it is.
      public var kind: Kind? {
        get { self["kind"] }
        set { self["kind"] = newValue }
      }

      /// The id of the task that it waits for.
      public var id: Int? {
        get { self["id"] }
        set { self["id"] = newValue }
      }

      /// Where the actor is that it waits for.
      public var address: Address? {
        get { self["address"] }
        set { self["address"] = newValue }
      }

      /// What there is to wait for. A sleep and a stream's next element are continuations until symbols are known.
      public enum Kind: String, JSONRepresentable, Sendable, CaseIterable {
        case task, group, asyncLet, continuation, sleep, actor, stream, unknown
      }
    }
  }
}
