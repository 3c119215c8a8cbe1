import CLinuxCalls
import Glibc
import LinuxCalls

/// A file under a name of its own that takes its place when it is whole and on its disk, or vanishes.
struct NewFile: ~Copyable {
  private let folder: OpenFolder
  private let name: String
  private var descriptor: Int32
  /// Holds a lock while the file has this name. A file without a lock was left by a process that was killed.
  private let lock: Int32
  private var isPlaced = false

  static let prefix = ".crashsym-"

  /// Makes it in the folder that it is meant for, for this user alone.
  init(in folder: OpenFolder) throws(FilingFailure) {
    var generator = SystemRandomNumberGenerator()
    while true {
      let name = "\(Self.prefix)\(getpid())-\(String(generator.next(), radix: 16))"
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = openat(folder.descriptor, name, flags, 0o600)
      guard descriptor >= 0 else { throw .system("cannot write", folder.path) }
      // By a descriptor of its own, as that for writing is closed first.
      let lock = folder.open(name)
      if lock >= 0 { flock(lock, LOCK_EX | LOCK_NB) }
      var status = stat()
      if lock >= 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        (self.folder, self.name, self.descriptor, self.lock) = (folder, name, descriptor, lock)
        return
      }
      // Another process took it for a leftover before it was locked.
      let code = errno
      if lock >= 0 { close(lock) }
      close(descriptor)
      guard lock >= 0 || code == ENOENT else { throw .system("cannot write", folder.path, code: code) }
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if !isPlaced { unlinkat(folder.descriptor, name, 0) }
    close(lock)
  }

  /// Removes what processes of this user left in a folder that were killed.
  static func removeLeftovers(in folder: OpenFolder) {
    for name in folder.names ?? [] where name.hasPrefix(prefix) {
      let descriptor = folder.open(name)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
        continue
      }
      // On a file system without locks, only the age shows it.
      let isLeft =
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
        || errno != EWOULDBLOCK && time(nil) - status.st_mtim.tv_sec > longestWriting
      if isLeft { unlinkat(folder.descriptor, name, 0) }
    }
  }

  /// No process takes this many seconds for one file.
  private static let longestWriting = 3_600

  func write(_ pieces: FilePieces) throws(FilingFailure) {
    let (descriptor, path) = (descriptor, folder.path(of: name))
    try pieces.visit { (bytes) throws(FilingFailure) in
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw .system("cannot write", path) }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  /// Gives it the mode of a new file, without rights for users who may not read that other file.
  func openToReaders(of file: WholeFile) {
    let mask = umask(0)
    umask(mask)
    // Another group may own the new file: it may be read by the group if all may read the other file.
    let isOpen = file.status.st_mode & S_IROTH != 0
    fchmod(descriptor, (isOpen ? 0o644 : 0o600) & ~mask)
  }

  /// Copies owner, mode and extended attributes of another file: access lists and file capabilities too. They are read
  /// by that file's descriptor, as another file may be at its path by now.
  func takeAttributes(of file: WholeFile) throws(FilingFailure) {
    let (status, path) = (file.status, file.path)
    var own = stat()
    guard fstat(descriptor, &own) == 0 else { throw .system("cannot write", path) }
    if own.st_uid != status.st_uid || own.st_gid != status.st_gid,
      fchown(descriptor, status.st_uid, status.st_gid) != 0
    {
      throw .system("cannot give the new file the same owner", path)
    }
    // After the owner, whose change takes the setuid bit away; before the attributes, as it changes an access list.
    guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else {
      throw .system("cannot give the new file the same mode", path)
    }
    for name in try Self.attributes(of: file) {
      let value = try Self.value("its attribute \(name) cannot be read", path) {
        fgetxattr(file.descriptor, name, $0.baseAddress, $0.count)
      }
      if fsetxattr(descriptor, name, value, value.count, 0) != 0 {
        let code = errno
        // A label that the system gives by itself may be there already.
        var present = [UInt8](repeating: 0, count: value.count + 1)
        guard fgetxattr(descriptor, name, &present, present.count) == value.count, present.starts(with: value) else {
          throw .system("cannot give the new file the attribute \(name)", path, code: code)
        }
      }
    }
  }

  private static func attributes(of file: WholeFile) throws(FilingFailure) -> [String] {
    if flistxattr(file.descriptor, nil, 0) < 0, errno == ENOTSUP { return [] }
    let names = try value("its attributes cannot be read", file.path) { bytes in
      bytes.withMemoryRebound(to: CChar.self) { flistxattr(file.descriptor, $0.baseAddress, $0.count) }
    }
    return names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What a call puts into room that is large enough. The kernel limits attributes and their list to 64 KiB each.
  private static func value(
    _ failure: String, _ path: String, _ call: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) throws(FilingFailure) -> [UInt8] {
    var count = 0
    let value = [UInt8](unsafeUninitializedCapacity: 65_536) { room, used in
      count = call(UnsafeMutableBufferPointer(start: room.baseAddress, count: 65_536))
      used = max(count, 0)
    }
    guard count >= 0 else { throw .system(failure, path) }
    return value
  }

  /// Puts it in its place, where another file may be. Its contents are on the disk before that.
  consuming func place(as target: String) throws(FilingFailure) {
    let path = folder.path(of: target)
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .system("cannot write", path) }
    // Closed before: a program that is open for writing cannot be started.
    close(descriptor)
    descriptor = -1
    guard renameat(folder.descriptor, name, folder.descriptor, target) == 0 else {
      throw .system("cannot write", path)
    }
    isPlaced = true
    // Makes the new name outlive a loss of power.
    fsync(folder.descriptor)
  }
}
