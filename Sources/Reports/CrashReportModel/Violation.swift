extension CrashReport {
  /// A broken rule that ThreadGuard found.
  public struct Violation: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Its severity.
    public var severity: Severity? {
      get { self["severity"] }
      set { self["severity"] = newValue }
    }

    /// The short stable name of the rule, such as `cycle`. Each kind of report has its own rules.
    public var code: String? {
      get { self["code"] }
      set { self["code"] = newValue }
    }

    /// What happened, in a sentence.
    public var message: String? {
      get { self["message"] }
      set { self["message"] = newValue }
    }

    /// The id of the thread that broke the rule.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// What the rule expects, such as a queue's label.
    public var expected: String? {
      get { self["expected"] }
      set { self["expected"] = newValue }
    }

    /// What was found instead.
    public var actual: String? {
      get { self["actual"] }
      set { self["actual"] = newValue }
    }

    /// The Swift function in which the program states the rule.
    public var function: String? {
      get { self["function"] }
      set { self["function"] = newValue }
    }

    /// The place in the source where the program states the rule. Its `file` is not a path, but the value of `#fileID`:
    /// `Module/File.swift`.
    public var sourceLocation: SourceLocation? {
      get { self["sourceLocation"] }
      set { self["sourceLocation"] = newValue }
    }

    /// The locks of the violation.
    public var locks: [Lock]? {
      get { self["locks"] }
      set { self["locks"] = newValue }
    }

    /// The edges of the lock order: each says that one lock was taken while another lock was held.
    public var edges: [Edge]? {
      get { self["edges"] }
      set { self["edges"] = newValue }
    }

    /// Stacks that belong to no edge. The first is the stack at the moment of the violation.
    public var stacks: [LabelledStack]? {
      get { self["stacks"] }
      set { self["stacks"] = newValue }
    }

    /// The severity of a violation.
    public enum Severity: String, JSONRepresentable, Sendable, CaseIterable {
      case note, warning, error
    }
  }
}

extension CrashReport {
  /// The severity of the report. A violation has its own severity. A capture of a running program is a note. The end of
  /// an exit test is a note too, because Swift Testing judges it. Everything else is an error.
  package var severity: Violation.Severity {
    violation?.severity ?? (kind == .capture || isOfExitTest ? .note : .error)
  }
}

extension CrashReport.Violation {
  /// A lock, or a queue.
  public struct Lock: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Its address.
    public var address: Address? {
      get { self["address"] }
      set { self["address"] = newValue }
    }

    /// The kind of lock: `mutex`, `rwlock`, `queue` and so on.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// The program's name for it, or a queue's label.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// Where it was made or first seen, innermost entry first.
    public var origin: [CrashReport.Frame]? {
      get { self["origin"] }
      set { self["origin"] = newValue }
    }
  }

  /// Two locks: the lock `to` was taken while the lock `from` was held. In a deadlock, the thread that holds `from`
  /// waits for `to`.
  public struct Edge: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The lock that was held, as an index into the violation's locks.
    public var from: Int? {
      get { self["from"] }
      set { self["from"] = newValue }
    }

    /// The lock that was taken, as an index into the violation's locks.
    public var to: Int? {
      get { self["to"] }
      set { self["to"] = newValue }
    }

    /// How the lock `from` was taken: `exclusive` or `shared`.
    public var fromMode: String? {
      get { self["fromMode"] }
      set { self["fromMode"] = newValue }
    }

    /// How the lock `to` was taken: `exclusive` or `shared`.
    public var toMode: String? {
      get { self["toMode"] }
      set { self["toMode"] = newValue }
    }

    /// The thread that took the lock `to`, or waits for that lock.
    public var thread: Participant? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// Where the thread took the lock `from`, innermost entry first.
    public var fromFrames: [CrashReport.Frame]? {
      get { self["fromFrames"] }
      set { self["fromFrames"] = newValue }
    }

    /// Where the thread took the lock `to`, or where it waits for that lock, innermost entry first.
    public var toFrames: [CrashReport.Frame]? {
      get { self["toFrames"] }
      set { self["toFrames"] = newValue }
    }

    /// The other locks that the thread held, as indexes into the violation's locks.
    public var held: [Int]? {
      get { self["held"] }
      set { self["held"] = newValue }
    }
  }

  /// A thread of the violation.
  public struct Participant: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The kernel's thread id.
    public var id: Int? {
      get { self["id"] }
      set { self["id"] = newValue }
    }

    /// The thread's name at that time.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }
  }

  /// A stack with a label.
  public struct LabelledStack: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The readable label of the stack.
    public var label: String? {
      get { self["label"] }
      set { self["label"] = newValue }
    }

    /// The thread of the stack.
    public var thread: Participant? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// The stack, innermost entry first.
    public var frames: [CrashReport.Frame]? {
      get { self["frames"] }
      set { self["frames"] = newValue }
    }
  }
}
