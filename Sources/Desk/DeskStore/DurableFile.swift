#if Desk
  import Glibc
  import LinuxCalls

  /// Files that are either complete or missing, even if the process or the machine stops at any moment.
  package enum DurableFile {
    /// What is not yet whole has this ending.
    static let unfinished = ".part"

    /// Writes a file of the folder, which is on the disk when this returns, unless the caller takes care of that.
    static func write(
      _ bytes: [UInt8], to path: String, in folder: String, isSynced: Bool = true
    ) throws(StoreError) {
      // Of two writers of one file, each has a part of its own.
      let part = "\(path).\(RandomText.digits(bytes: 8))\(unfinished)"
      let file = LinuxCalls.open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw StoreError(part, errorText(errno)) }
      var failure = bytes.withUnsafeBytes({ fill(file, $0) }) ? 0 : errno
      if failure == 0, isSynced, fsync(file) != 0 { failure = errno }
      close(file)
      if failure == 0, rename(part, path) != 0 { failure = errno }
      guard failure == 0 else {
        _ = unlink(part)
        throw StoreError(path, errorText(failure))
      }
      if isSynced { try sync(folder) }
    }

    /// Returns when the names in the folder are on the disk.
    static func sync(_ folder: String) throws(StoreError) {
      let descriptor = LinuxCalls.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw StoreError(folder, errorText(errno)) }
      defer { close(descriptor) }
      guard fsync(descriptor) == 0 else { throw StoreError(folder, errorText(errno)) }
    }

    /// Writes all of the bytes. Returns false, with `errno`, if that failed.
    package static func fill(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(file, bytes.baseAddress! + written, bytes.count - written)
        guard count >= 0 || errno == EINTR else { return false }
        written += max(count, 0)
      }
      return true
    }
  }
#endif
