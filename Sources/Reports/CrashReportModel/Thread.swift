extension CrashReport {
  /// A thread of the process.
  public struct Thread: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The kernel's thread id; absent in logs of the Swift runtime.
    public var id: Int? {
      get { self["id"] }
      set { self["id"] = newValue }
    }

    /// The thread's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The part of this package to which the thread belongs: `CrashKit` or `ThreadGuard`. Absent on the program's
    /// threads.
    public var belongsTo: String? {
      get { self["belongsTo"] }
      set { self["belongsTo"] = newValue }
    }

    /// Whether this thread crashed.
    public var crashed: Bool? {
      get { self["crashed"] }
      set { self["crashed"] = newValue }
    }

    /// Whether this thread broke the rule that the report is about.
    public var isViolating: Bool? {
      get { self["violating"] }
      set { self["violating"] = newValue }
    }

    /// The run state, in the words of `Docs/report-format.md`.
    public var state: String? {
      get { self["state"] }
      set { self["state"] = newValue }
    }

    /// The signal of this thread's own crash. Present only if this thread crashed while CrashKit captured the crash of
    /// another thread.
    public var signal: Signal? {
      get { self["signal"] }
      set { self["signal"] = newValue }
    }

    /// The fault address of this thread's own crash; absent if the crash has no fault address.
    public var faultAddress: Address? {
      get { self["faultAddress"] }
      set { self["faultAddress"] = newValue }
    }

    /// How the stack was obtained: `faultContext`, `signal`, `procSyscall`, `caller` or `none`. If crashsym made the
    /// report: `core` for a core file, `ptrace` for a running program.
    public var capturedBy: String? {
      get { self["capturedBy"] }
      set { self["capturedBy"] = newValue }
    }

    /// How the stack was unwound: `cfi`, `framePointer` or `mixed`.
    public var unwoundBy: String? {
      get { self["unwoundBy"] }
      set { self["unwoundBy"] = newValue }
    }

    /// `entry` if the stack reaches the thread's entry; otherwise the reason why it ends earlier.
    public var stackEnd: String? {
      get { self["stackEnd"] }
      set { self["stackEnd"] = newValue }
    }

    /// The registers by name.
    public var registers: JSONObject? {
      get { self["registers"] }
      set { self["registers"] = newValue }
    }

    /// The stack, innermost entry first.
    public var frames: [Frame]? {
      get { self["frames"] }
      set { self["frames"] = newValue }
    }

    /// The locks that the thread held, oldest first. Known only if ThreadGuard watches the process.
    public var heldLocks: [HeldLock]? {
      get { self["heldLocks"] }
      set { self["heldLocks"] = newValue }
    }

    /// The lock that the thread waited for.
    public var waitingFor: HeldLock? {
      get { self["waitingFor"] }
      set { self["waitingFor"] = newValue }
    }

    /// The context of the thread.
    public var context: Context? {
      get { self["context"] }
      set { self["context"] = newValue }
    }

    /// The Swift task that the thread was running.
    public var task: Task? {
      get { self["task"] }
      set { self["task"] = newValue }
    }
  }
}

extension CrashReport {
  /// A Swift concurrency task.
  public struct Task: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The task's id.
    public var id: Int? {
      get { self["id"] }
      set { self["id"] = newValue }
    }

    /// The task's name.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The parent of a child task, with only `id` and `name`.
    public var parent: Task? {
      get { self["parent"] }
      set { self["parent"] = newValue }
    }
  }
}
