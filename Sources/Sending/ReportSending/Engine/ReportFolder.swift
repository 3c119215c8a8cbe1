import CrashReportReading
import Glibc
import LinuxCalls

/// An open folder of reports, with the list of sent reports.
package final class ReportFolder: Sendable {
  /// A report's file.
  package struct File: Sendable, Hashable {
    package var name: String
    package var size: Int
    /// When its content was changed, in microseconds since 1970.
    package var changed: Int64
  }

  /// A report has no more bytes.
  private static let largestReport = 64 << 20
  private static let largestJournal = 256 << 20

  package let path: String
  package let descriptor: Int32

  /// - Throws: `SendFailure` if it cannot be opened.
  package init(path: String) throws(SendFailure) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .missing("cannot be opened", path, errno) }
    self.path = path
  }

  deinit { close(descriptor) }

  /// The path of a file for people.
  package func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// The finished reports by name, and so by time. Hidden files and files that are not regular are left out.
  package func files() throws(SendFailure) -> [File] {
    guard let names = folderNames(descriptor) else { throw .missing("cannot be listed", path, errno) }
    return names.filter(Self.isReport).sorted().compactMap(file)
  }

  /// Whether a file of this name is a finished report.
  static func isReport(_ name: String) -> Bool { name.hasSuffix(".json") && !name.hasPrefix(".") }

  /// A regular file as it is now.
  func file(_ name: String) -> File? {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Self.file(name, status)
  }

  private static func file(_ name: String, _ status: stat) -> File {
    // A process that may write the file may give it any time that an integer holds.
    let seconds = min(max(Int64(status.st_mtim.tv_sec), 0), 1 << 40)
    return File(
      name: name, size: Int(status.st_size), changed: seconds * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000)
  }

  /// The bytes of a report, the state of its file when they were read, and its owner; `nil` if the file is gone.
  package func read(_ name: String) throws(ReadingError) -> (bytes: [UInt8], file: File, owner: FileOwner)? {
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno != ENOENT else { return nil }
      throw ReadingError(.noInput, "cannot be opened: \(errorText(errno))")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw ReadingError(.inputOutput, "cannot be read: \(errorText(errno))") }
    let owner = FileOwner(user: status.st_uid, group: status.st_gid)
    return (try InputFile.read(file: file, limit: Self.largestReport), Self.file(name, status), owner)
  }

  // MARK: What was sent

  /// Takes a lock. It is held until the returned descriptor is closed.
  ///
  /// - Parameter waits: Whether to wait until another process gives it back.
  /// - Returns: `nil` if another process has it.
  func lock(_ name: String, waits: Bool) throws(SendFailure) -> Int32? {
    let file = openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("cannot be written", path(of: name), errno) }
    // Whatever the umask says, here and below.
    fchmod(file, 0o600)
    while flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      close(file)
      guard code == EWOULDBLOCK else { throw .system("cannot be locked", path(of: name), code) }
      return nil
    }
    return file
  }

  /// The bytes of the journal; `nil` if there is no journal yet.
  func journal(_ name: String) throws(SendFailure) -> [UInt8]? {
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno != ENOENT else { return nil }
      throw .system("cannot be opened", path(of: name), errno)
    }
    defer { close(file) }
    do throws(ReadingError) {
      return try InputFile.read(file: file, limit: Self.largestJournal)
    } catch {
      throw SendFailure(what: "\(error.what): \(path(of: name))", status: 74)
    }
  }

  /// Renames a file. A file that already has the new name is replaced.
  func rename(_ name: String, to other: String) throws(SendFailure) {
    guard renameat(descriptor, name, descriptor, other) == 0 else {
      throw .system("cannot be renamed", path(of: name), errno)
    }
  }

  /// Replaces the journal's bytes, and returns when they are on the disk. If that fails, the journal stays unchanged.
  /// The caller must hold the lock.
  func replaceJournal(_ name: String, _ bytes: [UInt8]) throws(SendFailure) {
    let new = name + ".new"
    unlinkat(descriptor, new, 0)
    let file = openat(descriptor, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("cannot be written", path(of: new), errno) }
    fchmod(file, 0o600)
    var code = Self.write(bytes, to: file)
    if code == 0, fsync(file) != 0, errno != EINVAL { code = errno }
    close(file)
    if code == 0, renameat(descriptor, new, descriptor, name) != 0 { code = errno }
    guard code == 0 else {
      unlinkat(descriptor, new, 0)
      throw .system("the list of sent reports cannot be written", path(of: name), code)
    }
    // Makes the new name outlive a loss of power.
    fsync(descriptor)
  }

  /// 0, or the errno.
  private static func write(_ bytes: [UInt8], to file: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Glibc.write(file, rest.base.baseAddress! + rest.startIndex, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return errno }
      }
      return 0
    }
  }
}
