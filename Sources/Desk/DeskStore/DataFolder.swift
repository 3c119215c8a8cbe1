#if Desk
  import Glibc
  import LinuxCalls

  /// The desk's folder: `desk.sqlite`, `tokens`, `incoming/`, `reports/` and `symbols/`. It belongs to one user, and to
  /// one desk at a time.
  public final class DataFolder: Sendable {
    /// The path of the folder.
    public let path: String
    /// Whether nothing in it is changed.
    let isReadOnly: Bool
    /// `nil` if others may use the folder too.
    private let lock: Int32?

    /// Opens the folder. If it is missing, makes it, with the folders above it.
    ///
    /// - Throws: ``StoreError`` if it cannot be opened, or if another desk uses it.
    public init(_ path: String) throws(StoreError) {
      (self.path, isReadOnly) = (path, false)
      try Self.make(path)
      let lock = LinuxCalls.open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard lock >= 0 else { throw StoreError(path + "/lock", errorText(errno)) }
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        close(lock)
        throw StoreError(path, code == EWOULDBLOCK ? "another crashsym desk uses it" : errorText(code))
      }
      self.lock = lock
      for folder in [reports, incoming] { try Self.makeFolders(folder) }
    }

    /// Opens a folder only for reading. A desk may use it at the same time.
    ///
    /// - Throws: ``StoreError`` if it does not have a desk's data.
    public init(reading path: String) throws(StoreError) {
      (self.path, isReadOnly, lock) = (path, true, nil)
      guard access(database, F_OK) == 0 else {
        throw StoreError(path, "this folder does not contain the data of a desk")
      }
    }

    /// Makes the folder, private to its user, if it is missing.
    public static func make(_ path: String) throws(StoreError) {
      try makeFolders(path)
      guard path.withSystemText({ chmod($0, 0o700) }) == 0 else { throw StoreError(path, errorText(errno)) }
    }

    deinit {
      if let lock { close(lock) }
    }

    /// The path of the database.
    public var database: String { path + "/desk.sqlite" }
    /// The path of the folder of reports.
    public var reports: String { path + "/reports" }
    /// The path of the folder of reports that are not counted yet.
    var incoming: String { path + "/incoming" }
    /// The path of the folder of symbols that were sent.
    public var symbols: String { path + "/symbols" }

    private static func makeFolders(_ path: String) throws(StoreError) {
      guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
      if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        try makeFolders(String(path[..<slash]))
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
      }
      throw StoreError(path, errorText(errno))
    }
  }
#endif
