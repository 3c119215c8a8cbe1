extension CrashReport {
  /// The open descriptors of the process.
  public struct Descriptors: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// How many descriptors were open.
    public var open: Int? {
      get { self["open"] }
      set { self["open"] = newValue }
    }

    /// The soft limit of open descriptors; absent if there is no limit.
    public var limit: Int? {
      get { self["limit"] }
      set { self["limit"] = newValue }
    }

    /// How many open descriptors there are of each kind. Only the first 4,096 descriptors are counted.
    public var kinds: Kinds? {
      get { self["kinds"] }
      set { self["kinds"] = newValue }
    }
  }
}

extension CrashReport.Descriptors {
  /// How many descriptors of each kind are open. A kind without open descriptors is absent.
  public struct Kinds: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// How many sockets.
    public var socket: Int? {
      get { self["socket"] }
      set { self["socket"] = newValue }
    }

    /// How many pipes without a name.
    public var pipe: Int? {
      get { self["pipe"] }
      set { self["pipe"] = newValue }
    }

    /// How many descriptors from `epoll_create`.
    public var eventpoll: Int? {
      get { self["eventpoll"] }
      set { self["eventpoll"] = newValue }
    }

    /// How many descriptors from `eventfd`.
    public var eventfd: Int? {
      get { self["eventfd"] }
      set { self["eventfd"] = newValue }
    }

    /// How many descriptors from `timerfd_create`.
    public var timerfd: Int? {
      get { self["timerfd"] }
      set { self["timerfd"] = newValue }
    }

    /// How many descriptors from `signalfd`.
    public var signalfd: Int? {
      get { self["signalfd"] }
      set { self["signalfd"] = newValue }
    }

    /// How many descriptors from `inotify_init`.
    public var inotify: Int? {
      get { self["inotify"] }
      set { self["inotify"] = newValue }
    }

    /// How many descriptors from `io_uring_setup`.
    public var ioUring: Int? {
      get { self["ioUring"] }
      set { self["ioUring"] = newValue }
    }

    /// How many descriptors from `pidfd_open`.
    public var pidfd: Int? {
      get { self["pidfd"] }
      set { self["pidfd"] = newValue }
    }

    /// How many descriptors from `memfd_create`.
    public var memoryFile: Int? {
      get { self["memoryFile"] }
      set { self["memoryFile"] = newValue }
    }

    /// How many devices below `/dev`.
    public var device: Int? {
      get { self["device"] }
      set { self["device"] = newValue }
    }

    /// How many files, folders and other descriptors with a path.
    public var fileSystem: Int? {
      get { self["fileSystem"] }
      set { self["fileSystem"] = newValue }
    }

    /// How many descriptors of all other kinds.
    public var other: Int? {
      get { self["other"] }
      set { self["other"] = newValue }
    }
  }
}
