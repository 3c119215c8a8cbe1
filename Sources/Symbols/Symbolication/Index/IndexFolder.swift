import Glibc
import LinuxCalls

/// The folder of indexes: private to its user, and bounded in size.
///
/// Every file is written under a name of its own and renamed when it is whole; a file that is there is never changed.
/// If anything is wrong, there is no index, and no error is shown.
struct IndexFolder: Sendable, Hashable {
  static let suffix = ".index"
  private static let unfinished = ".new"
  /// A file that was marked as used within this many seconds is not marked again.
  private static let markedFor = 60
  /// Files that a killed writer left are removed after this many seconds.
  private static let leftFor = 3_600

  private let path: String
  private let limit: UInt64

  init(_ options: IndexOptions) {
    path = options.directory
    limit = options.sizeLimit
  }

  /// The index of a key.
  func index(_ key: IndexKey) -> IndexFile? {
    guard limit > 0, let folder = openFolder(creating: false) else { return nil }
    defer { close(folder) }
    let descriptor = openat(folder, key.fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, Self.isOurs(status, S_IFREG), UInt64(status.st_size) <= limit,
      let index = IndexFile(descriptor: descriptor, size: Int(status.st_size), key: key)
    else { return nil }
    if time(nil) - status.st_mtim.tv_sec > Self.markedFor { futimens(descriptor, nil) }
    return index
  }

  /// Writes an index, then removes the least recently used ones if there are more than are allowed.
  ///
  /// - Returns: Whether it is there now.
  @discardableResult
  func write(_ bytes: [UInt8], as key: IndexKey) -> Bool {
    guard UInt64(bytes.count) <= limit, Self.mayWrite(bytes.count), let folder = openFolder(creating: true) else {
      return false
    }
    defer { close(folder) }
    let name = "\(key.fileName).\(getpid()).\(UInt64.random(in: 0...UInt64.max))\(Self.unfinished)"
    let descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    let isWhole = Self.write(bytes, to: descriptor)
    guard close(descriptor) == 0, isWhole, renameat(folder, name, folder, key.fileName) == 0 else {
      unlinkat(folder, name, 0)
      return false
    }
    removeOldest(in: folder, keeping: key.fileName)
    return true
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        written += count
      }
      return true
    }
  }

  /// A file beyond the process's limit would end it with a signal.
  private static func mayWrite(_ size: Int) -> Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && UInt64(size) <= limit.rlim_cur
  }

  /// Whether a file or folder is of this user, no link, and for no other to write.
  private static func isOurs(_ status: stat, _ kind: mode_t) -> Bool {
    status.st_mode & S_IFMT == kind && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
  }

  private func openFolder(creating: Bool) -> Int32? {
    if creating {
      // Those above it may be missing as well, as in a new container.
      for parent in parents { mkdir(parent, 0o700) }
      mkdir(path, 0o700)
    }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, Self.isOurs(status, S_IFDIR) else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private var parents: [String] {
    let steps = path.utf8.indices.filter { path.utf8[$0] == UInt8(ascii: "/") && $0 != path.startIndex }
    return steps.map { String(path[..<$0]) }
  }

  private struct Entry {
    var name: String
    var size: UInt64
    var lastUse: Int
  }

  private func removeOldest(in folder: Int32, keeping name: String) {
    var entries = Self.entries(of: folder)
    var total = entries.reduce(0) { $0 + $1.size }
    entries.sort { $0.lastUse < $1.lastUse }
    let now = time(nil)
    for entry in entries where entry.name != name {
      let isLeft = entry.name.hasSuffix(Self.unfinished) && entry.lastUse < now - Self.leftFor
      guard isLeft || (total > limit && entry.name.hasSuffix(Self.suffix)) else { continue }
      if unlinkat(folder, entry.name, 0) == 0 { total -= entry.size }
    }
  }

  private static func entries(of folder: Int32) -> [Entry] {
    var entries: [Entry] = []
    for name in folderNames(folder) ?? [] where name.hasSuffix(suffix) || name.hasSuffix(unfinished) {
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      entries.append(Entry(name: name, size: UInt64(status.st_size), lastUse: status.st_mtim.tv_sec))
    }
    return entries
  }
}
