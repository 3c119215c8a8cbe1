extension CrashReport {
  /// A queue that did not run.
  public struct Hang: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The queue's label; `main` for the main queue.
    public var queue: String? {
      get { self["queue"] }
      set { self["queue"] = newValue }
    }

    /// The id of the thread that ran the queue; absent where nobody knew.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// When the queue was given what it did not run.
    public var startedAt: Timestamp? {
      get { self["startedAt"] }
      set { self["startedAt"] = newValue }
    }

    /// Seconds that it may take.
    public var threshold: Double? {
      get { self["threshold"] }
      set { self["threshold"] = newValue }
    }

    /// Seconds that it took, or had taken when the report was written.
    public var duration: Double? {
      get { self["duration"] }
      set { self["duration"] = newValue }
    }

    /// Whether the hang ended; `false` in the report of its beginning, which stays where the process ends first.
    public var ended: Bool? {
      get { self["ended"] }
      set { self["ended"] = newValue }
    }

    /// Whether the queue ran again.
    public var recovered: Bool? {
      get { self["recovered"] }
      set { self["recovered"] = newValue }
    }

    /// Stacks of the thread while it hung, oldest first.
    public var samples: [Sample]? {
      get { self["samples"] }
      set { self["samples"] = newValue }
    }

    /// How many samples were not kept.
    public var omittedSamples: Int? {
      get { self["omittedSamples"] }
      set { self["omittedSamples"] = newValue }
    }

    /// A thread's stack at a moment.
    public struct Sample: ReportSection {
      public var fields: JSONObject
      public init(fields: JSONObject) { self.fields = fields }

      /// The moment.
      public var time: Timestamp? {
        get { self["time"] }
        set { self["time"] = newValue }
      }

      /// Seconds since the hang began.
      public var after: Double? {
        get { self["after"] }
        set { self["after"] = newValue }
      }

      /// The stack, innermost entry first.
      public var frames: [Frame]? {
        get { self["frames"] }
        set { self["frames"] = newValue }
      }
    }
  }
}
