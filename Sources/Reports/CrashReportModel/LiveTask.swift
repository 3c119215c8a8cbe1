extension CrashReport {
  /// A Swift task that existed when the report was made, running or not.
  public struct LiveTask: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The task's id. Ids grow with time: older tasks have lower ids.
    public var id: Int? {
      get { self["id"] }
      set { self["id"] = newValue }
    }

    /// The task's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The id of the parent task, if this is a child task.
    public var parent: Int? {
      get { self["parent"] }
      set { self["parent"] = newValue }
    }

    /// Whether it runs, waits for a thread, or waits for something else.
    public var state: State? {
      get { self["state"] }
      set { self["state"] = newValue }
    }

    /// The id of the thread that runs it.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// Its context.
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

    /// What the task waits for; absent while a thread runs the task.
    public var awaits: Awaited? {
      get { self["awaits"] }
      set { self["awaits"] = newValue }
    }

    /// The number of seconds for which CrashKit has seen the task with these frames. Absent if the task had other
    /// frames when CrashKit looked at it the previous time.
    public var unmovedFor: Double? {
      get { self["unmovedFor"] }
      set { self["unmovedFor"] = newValue }
    }

    /// Whether the task is stuck, so that it is a reason for this report; absent if not. Only in reports of the kind
    /// `stuckTask`.
    public var isStuck: Bool? {
      get { self["isStuck"] }
      set { self["isStuck"] = newValue }
    }

    /// The number of tasks with these frames, including this task. The list of tasks may contain only some of them.
    public var alike: Int? {
      get { self["alike"] }
      set { self["alike"] = newValue }
    }

    /// In place of `frames`: the id of a task that has the same frames.
    public var framesOf: Int? {
      get { self["framesOf"] }
      set { self["framesOf"] = newValue }
    }

    /// The task's stack: first the place where the task will continue, then its callers outwards.
    public var frames: [Frame]? {
      get { self["frames"] }
      set { self["frames"] = newValue }
    }

    /// The state of a task.
    public enum State: String, JSONRepresentable, Sendable, CaseIterable {
      case running, enqueued, suspended
    }

    /// What a task waits for.
    public struct Awaited: ReportSection {
      public var fields: JSONObject
      public init(fields: JSONObject) { self.fields = fields }

      /// The kind of object for which the task waits.
      public var kind: Kind? {
        get { self["kind"] }
        set { self["kind"] = newValue }
      }

      /// The id of the task for which it waits.
      public var id: Int? {
        get { self["id"] }
        set { self["id"] = newValue }
      }

      /// The address of the actor for which it waits.
      public var address: Address? {
        get { self["address"] }
        set { self["address"] = newValue }
      }

      /// The kinds of objects for which a task can wait. Before symbolication, the kind is `continuation` also for a
      /// task that sleeps, and for a task that waits for the next element of a stream.
      public enum Kind: String, JSONRepresentable, Sendable, CaseIterable {
        case task, group, asyncLet, continuation, sleep, actor, stream, unknown
      }
    }
  }
}
