import CLinuxCalls
import Glibc
import LinuxCalls

/// A folder of reports, held open, so that its files can be reached even if its path changes.
public final class ReportDirectory: Sendable {
  /// More names than this are not kept.
  private static let mostNames = 50_000

  /// The folder's path, for messages.
  public let path: String
  let descriptor: Int32

  /// Opens a folder.
  ///
  /// - Throws: `SystemError` if it cannot be opened.
  public init(path: String) throws(SystemError) {
    descriptor = LinuxCalls.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(path) }
    self.path = path
  }

  /// Uses a folder that is already open. The object duplicates the descriptor; the caller still closes its own.
  ///
  /// - Throws: `SystemError` if the process has no free descriptor.
  public init(path: String, descriptor: Int32) throws(SystemError) {
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard self.descriptor >= 0 else { throw SystemError(path) }
    self.path = path
  }

  deinit { Glibc.close(descriptor) }

  /// The names of the wanted entries of the folder or of a subfolder, unsorted and without hidden entries. The number
  /// of names has a limit. Unwanted entries do not count towards the limit, so they cannot displace wanted entries.
  public func names(in folder: String = ".", where isWanted: (String) -> Bool) -> [String] {
    let copy = openat(descriptor, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      if copy >= 0 { Glibc.close(copy) }
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while names.count < Self.mostNames, let entry = readdir(stream) {
      let name = entry.name
      if !name.hasPrefix("."), isWanted(name) { names.append(name) }
    }
    return names
  }

  /// The kernel's data about a file; `nil` if there is no file. Links are not followed.
  public func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Opens a regular file. Never waits, and follows no link.
  public func open(_ name: String, writable: Bool = false) throws(SystemError) -> OpenFile {
    let flags = (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let file = openat(descriptor, name, flags)
    guard file >= 0 else { throw SystemError(name) }
    let open = OpenFile(descriptor: file)
    guard open.status.st_mode & S_IFMT == S_IFREG else { throw SystemError(name, code: EINVAL) }
    return open
  }

  /// Renames a file without replacing another. Both names may be in a subfolder.
  public func rename(_ name: String, to newName: String) throws(SystemError) {
    // Not every file system knows the flag; there the name is looked at first.
    if renameNew(descriptor, name, newName) == 0 { return }
    guard errno == EINVAL || errno == ENOSYS else { throw SystemError(name) }
    guard status(of: newName) == nil else { throw SystemError(newName, code: EEXIST) }
    guard renameat(descriptor, name, descriptor, newName) == 0 else { throw SystemError(name) }
  }

  /// Removes a file.
  public func remove(_ name: String) throws(SystemError) {
    guard unlinkat(descriptor, name, 0) == 0 else { throw SystemError(name) }
  }

  /// Makes a private subfolder, if there is none.
  public func makeFolder(_ name: String) throws(SystemError) {
    guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else { throw SystemError(name) }
    // Whatever the program's umask says, here and below.
    fchmodat(descriptor, name, 0o700, AT_SYMLINK_NOFOLLOW)
  }

  /// Makes an empty file. If several processes try, one succeeds.
  ///
  /// - Returns: `false` if the name exists.
  public func create(_ name: String) throws(SystemError) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(descriptor, name, flags, 0o600)
    guard file >= 0 || errno == EEXIST else { throw SystemError(name) }
    guard file >= 0 else { return false }
    fchmod(file, 0o600)
    Glibc.close(file)
    return true
  }

  /// Makes a file one byte longer. If there is no such file, makes a file of one byte. When this returns, the change is
  /// on the disk.
  public func lengthen(_ name: String) throws(SystemError) {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let file = openat(descriptor, name, flags, 0o600)
    guard file >= 0 else { throw SystemError(name) }
    defer { Glibc.close(file) }
    fchmod(file, 0o600)
    guard Glibc.write(file, "+", 1) == 1, fdatasync(file) == 0 else { throw SystemError(name) }
  }

  /// Reverses ``lengthen(_:)``: makes a file one byte shorter, or removes a file of one byte.
  public func shorten(_ name: String) {
    guard let size = status(of: name)?.st_size else { return }
    if size <= 1 {
      unlinkat(descriptor, name, 0)
    } else if let file = try? open(name, writable: true) {
      ftruncate(file.descriptor, size - 1)
    }
  }

  /// Makes a complete file with these bytes on the disk, or no file. An old file of this name is replaced.
  func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
    unlinkat(descriptor, name, 0)
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError(name) }
    defer { Glibc.close(file) }
    fchmod(file, 0o600)
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty && failure == nil {
        let count = Glibc.write(file, rest.base.baseAddress! + rest.startIndex, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = SystemError(name) }
      }
    }
    if failure == nil, fdatasync(file) != 0 { failure = SystemError(name) }
    guard let failure else { return }
    unlinkat(descriptor, name, 0)
    throw failure
  }
}

/// An open file. It is closed and unlocked when its last reference is released.
public final class OpenFile: Sendable {
  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The kernel's data about the file.
  public var status: stat {
    var status = stat()
    fstat(descriptor, &status)
    return status
  }

  /// Takes the file's exclusive lock without waiting; `false` if another process holds it.
  public func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Whether the name still refers to this file.
  public func isStill(_ name: String, in directory: ReportDirectory) -> Bool {
    guard let found = directory.status(of: name) else { return false }
    return found.isSameFile(as: status)
  }

  /// Reads from the start, at most `count` bytes.
  public func bytes(upTo count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: max(0, min(count, status.st_size))) { buffer, filled in
      while filled < buffer.count {
        let read = pread(descriptor, buffer.baseAddress! + filled, buffer.count - filled, off_t(filled))
        if read > 0 { filled += read } else if read == 0 || errno != EINTR { break }
      }
    }
  }
}

/// An error of a system call.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The `errno`.
  public let code: Int32
  /// The file or folder.
  public let subject: String

  init(_ subject: String, code: Int32 = errno) {
    self.code = code
    self.subject = subject
  }

  public var description: String { "\(subject): \(errorText(code))" }
}
