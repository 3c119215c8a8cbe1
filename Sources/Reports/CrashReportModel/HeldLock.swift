extension CrashReport {
  /// A lock that a thread held, or waited for.
  public struct HeldLock: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// Its address.
    public var address: Address? {
      get { self["address"] }
      set { self["address"] = newValue }
    }

    /// The kind of lock, such as `mutex`, `rwlock` or `queue`. The value is `condition` if the thread waited for a
    /// condition, and `thread` if it waited for the end of a thread.
    public var type: String? {
      get { self["type"] }
      set { self["type"] = newValue }
    }

    /// How the lock is held or wanted: `exclusive` or `shared`.
    public var mode: String? {
      get { self["mode"] }
      set { self["mode"] = newValue }
    }

    /// The program's name for it, or a queue's label.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// Only in `waitingFor`: the id of the thread that holds the lock; for type `thread`, the id of the joined thread.
    /// Absent if this thread is not known.
    public var owner: Int? {
      get { self["owner"] }
      set { self["owner"] = newValue }
    }

    /// Only for held locks: where the thread took the lock, as one or two innermost frames.
    public var takenAt: [Frame]? {
      get { self["takenAt"] }
      set { self["takenAt"] = newValue }
    }

    /// Only in `waitingFor`: where the thread waits, as one or two innermost frames.
    public var waitsAt: [Frame]? {
      get { self["waitsAt"] }
      set { self["waitsAt"] = newValue }
    }
  }
}
