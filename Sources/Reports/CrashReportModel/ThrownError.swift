extension CrashReport {
  /// An error that was thrown, with the place of the `throw`.
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

    /// The context in which it was thrown.
    public var context: Context? {
      get { self["context"] }
      set { self["context"] = newValue }
    }

    /// The name of its type, without generic arguments.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// Whether the report is about this error; absent if not.
    public var isCause: Bool? {
      get { self["isCause"] }
      set { self["isCause"] = newValue }
    }

    /// Set only if it is not certain that the report is about this error. `value` means that this error equals the
    /// error of the report. `type` means that the two errors only have the same type.
    public var causeKnownBy: String? {
      get { self["causeKnownBy"] }
      set { self["causeKnownBy"] = newValue }
    }

    /// The place where the error was thrown, then the callers outwards. If the program throws often, some errors have
    /// no callers here.
    public var frames: [Frame]? {
      get { self["frames"] }
      set { self["frames"] = newValue }
    }

    /// The frames from the `throw` outwards. If the innermost frame is a function of the compiler for typed throws
    /// (`swift_willThrow…`), it is left out.
    public var framesFromThrow: [Frame] {
      Array((frames ?? []).drop { $0.description?.hasPrefix("swift_willThrow") == true })
    }
  }

  /// The thrown error that the report is about; `nil` if the place of its `throw` is not known. CrashKit may know only
  /// where an equal error, or an error of the same type, was thrown. The result is then that error, and its
  /// `causeKnownBy` is set.
  public var thrownCause: ThrownError? { thrown?.first { $0.isCause == true } }

  /// The context that the report is about. An error may have left the context in which it was thrown. A hang has the
  /// context of its thread.
  package var subjectContext: Context? {
    context ?? thrownCause.flatMap { $0.causeKnownBy == nil ? $0.context : nil }
      ?? hang?.thread.flatMap { hung in threads?.first { $0.id == hung }?.context }
  }
}
