extension CrashReport {
  /// An error that was thrown, and where.
  public struct ThrownError: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// When it was thrown.
    public var time: Timestamp? {
      get { self["time"] }
      set { self["time"] = newValue }
    }

    /// The id of the thread that threw it.
    public var thread: Int? {
      get { self["thread"] }
      set { self["thread"] = newValue }
    }

    /// The id of the Swift task that threw it.
    public var task: Int? {
      get { self["task"] }
      set { self["task"] = newValue }
    }

    /// The context that it was thrown in.
    public var context: Context? {
      get { self["context"] }
      set { self["context"] = newValue }
    }

    /// The name of its type, without generic arguments.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// Whether the report is about this very error; absent if not.
    public var isCause: Bool? {
      get { self["isCause"] }
      set { self["isCause"] = newValue }
    }

    /// `value` if an equal error was thrown, `type` if an error of the same type was, and whether it is this very one is
    /// not known. Absent if it is.
    public var causeKnownBy: String? {
      get { self["causeKnownBy"] }
      set { self["causeKnownBy"] = newValue }
    }

    /// Where it was thrown, then the callers outwards. Of many throws some have no callers.
    public var frames: [Frame]? {
      get { self["frames"] }
      set { self["frames"] = newValue }
    }

    /// The frames from the `throw` outwards: a function that the compiler puts into a program for typed throws stands
    /// before it.
    public var framesFromThrow: [Frame] {
      Array((frames ?? []).drop { $0.description?.hasPrefix("swift_willThrow") == true })
    }
  }

  /// The error that the report is about, if it is known where it was thrown: `causeKnownBy` says if only an equal one is.
  public var thrownCause: ThrownError? { thrown?.first { $0.isCause == true } }

  /// The context that the report is about. An error may have left the context in which it was thrown. A hang has the
  /// context of its thread.
  package var subjectContext: Context? {
    context ?? thrownCause.flatMap { $0.causeKnownBy == nil ? $0.context : nil }
      ?? hang?.thread.flatMap { hung in threads?.first { $0.id == hung }?.context }
  }
}
