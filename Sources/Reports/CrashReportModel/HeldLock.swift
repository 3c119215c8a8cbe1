extension CrashReport {
  /// A lock that a thread held, or waited for.
  public struct HeldLock: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Where it lies in memory.
    public var address: Address? {
      get { self["address"] }
      set { self["address"] = newValue }
    }

    /// What kind of lock it is: `mutex`, `rwlock`, `queue` and so on; `condition`, or `thread` for the end of
    /// one.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// `exclusive` or `shared`.
    public var mode: String? {
      get { self["mode"] }
      set { self["mode"] = newValue }
    }

    /// The program's name for it, or a queue's label.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// The thread that has it, or, of the type `thread`, that is to end. Of the lock that is waited for, if it is known.
    public var owner: Int? {
      get { self["owner"] }
      set { self["owner"] = newValue }
    }

    /// Where it was taken: the one or two innermost frames. Of locks that are held.
    public var takenAt: [Frame]? {
      get { self["takenAt"] }
      set { self["takenAt"] = newValue }
    }

    /// Where it is waited for: the one or two innermost frames. Of the lock that is waited for.
    public var waitsAt: [Frame]? {
      get { self["waitsAt"] }
      set { self["waitsAt"] = newValue }
    }
  }
}
