#if Desk
  import Glibc
  import LinuxCalls

  /// Files that are either complete or missing, even if the process or the machine stops at any moment.
  package enum DurableFile {
    /// The ending of a file's name until the file is complete.
    static let unfinished = ".part"

    /// A file to write.
    struct New {
      /// `nil` if the file is there, and its name may not be on the disk.
      var bytes: [UInt8]?
      var path: String
      var folder: String
    }

    /// Writes files, which are on the disk when this returns. What kept each from it.
    ///
    /// The file system notes all of them down together when the first one is synchronised: many at a time cost little more
    /// than one.
    static func write(_ files: [New]) -> [StoreError?] {
      var failures = [StoreError?](repeating: nil, count: files.count)
      var parts: [(file: Int32, path: String)?] = []
      for (index, file) in files.enumerated() {
        do throws(StoreError) {
          parts.append(try file.bytes.map { bytes throws(StoreError) in try begin(bytes, file.path) })
        } catch {
          parts.append(nil)
          failures[index] = error
        }
      }
      for (index, part) in parts.enumerated() {
        guard let part else { continue }
        do throws(StoreError) { try finish(part, files[index].path) } catch { failures[index] = error }
      }
      var synced: [String: StoreError?] = [:]
      for (index, file) in files.enumerated() where failures[index] == nil {
        if synced[file.folder] == nil {
          do throws(StoreError) {
            try sync(file.folder)
            synced[file.folder] = .some(nil)
          } catch {
            synced[file.folder] = .some(error)
          }
        }
        failures[index] = synced[file.folder] ?? nil
      }
      return failures
    }

    /// Writes a file of the folder, which is on the disk when this returns, unless the caller takes care of that.
    static func write(
      _ bytes: [UInt8], to path: String, in folder: String, isSynced: Bool = true
    ) throws(StoreError) {
      try finish(begin(bytes, path), path, isSynced: isSynced)
      if isSynced { try sync(folder) }
    }

    /// Writes the bytes to a part that is not yet the file.
    private static func begin(_ bytes: [UInt8], _ path: String) throws(StoreError) -> (file: Int32, path: String) {
      // Of two writers of one file, each has a part of its own.
      let part = "\(path).\(RandomText.digits(bytes: 8))\(unfinished)"
      let file = LinuxCalls.open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw StoreError(part, errorText(errno)) }
      guard bytes.withUnsafeBytes({ fill(file, $0) }) else {
        let failure = errno
        close(file)
        _ = unlink(part)
        throw StoreError(path, errorText(failure))
      }
      // Linux begins to write these pages to the disk, while other files are written. Whether it does does not matter.
      _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      return (file, part)
    }

    private static func finish(
      _ part: (file: Int32, path: String), _ path: String, isSynced: Bool = true
    ) throws(StoreError) {
      var failure: Int32 = 0
      if isSynced, fsync(part.file) != 0 { failure = errno }
      close(part.file)
      if failure == 0, rename(part.path, path) != 0 { failure = errno }
      guard failure == 0 else {
        _ = unlink(part.path)
        throw StoreError(path, errorText(failure))
      }
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
