extension CrashReport {
  /// A hang: a queue, an actor, an executor, an event loop or the pool of Swift tasks did not run its work.
  public struct Hang: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// What did not run: `queue`, `executor`, `actor`, `eventLoop` or `pool`; absent in older reports, which are about
    /// queues.
    public var subject: String? {
      get { self["subject"] }
      set { self["subject"] = newValue }
    }

    /// The name of the subject: the label of a queue, the type of an actor or an executor, the thread name of an event
    /// loop, or the priority of a pool's tasks.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The queue's label; `main` for the main queue; absent if the subject is not a queue.
    public var queue: String? {
      get { self["queue"] }
      set { self["queue"] = newValue }
    }

    /// The id of the sampled thread. The subject's work was to run on this thread. Absent if the thread was not known.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// When CrashKit enqueued the heartbeat that the subject did not run.
    public var startedAt: Timestamp? {
      get { self["startedAt"] }
      set { self["startedAt"] = newValue }
    }

    /// The allowed time in seconds.
    public var threshold: Double? {
      get { self["threshold"] }
      set { self["threshold"] = newValue }
    }

    /// How many seconds the hang took. In a report that was written during the hang, how many seconds it had taken
    /// until then.
    public var duration: Double? {
      get { self["duration"] }
      set { self["duration"] = newValue }
    }

    /// Whether the hang ended. `false` in the first report. If the process ends during the hang, only this first report
    /// exists.
    public var ended: Bool? {
      get { self["ended"] }
      set { self["ended"] = newValue }
    }

    /// Whether the hang ended because the subject ran again.
    public var recovered: Bool? {
      get { self["recovered"] }
      set { self["recovered"] = newValue }
    }

    /// How many seconds passed from the first sample to the last sample.
    public var observedFor: Double? {
      get { self["observedFor"] }
      set { self["observedFor"] = newValue }
    }

    /// The threads that should run the subject. For a pool, these are all threads that ran its tasks; for other
    /// subjects, this is the sampled thread.
    public var threads: [HungThread]? {
      get { self["threads"] }
      set { self["threads"] = newValue }
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

    /// A thread that hung.
    public struct HungThread: ReportSection {
      public var fields: JSONObject
      public init(fields: JSONObject) { self.fields = fields }

      /// The kernel's id.
      public var id: Int? {
        get { self["id"] }
        set { self["id"] = newValue }
      }

      /// How many seconds of processor time the thread used during the `observedFor` seconds.
      public var processorTime: Double? {
        get { self["processorTime"] }
        set { self["processorTime"] = newValue }
      }
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

      /// How many seconds passed from the beginning of the hang to the sample.
      public var after: Double? {
        get { self["after"] }
        set { self["after"] = newValue }
      }

      /// How the stack was captured: `signal` if the thread was running, `procSyscall` if it waited in a system call.
      public var capturedBy: String? {
        get { self["capturedBy"] }
        set { self["capturedBy"] = newValue }
      }

      /// The stack, innermost entry first.
      public var frames: [Frame]? {
        get { self["frames"] }
        set { self["frames"] = newValue }
      }
    }
  }
}
