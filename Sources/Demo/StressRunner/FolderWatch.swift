import Glibc
import LinuxCalls

/// Notices when a file in a folder gets its final name.
final class FolderWatch {
  let descriptor: Int32

  /// - Throws: `StressFailure` if the kernel has no room for a further watch.
  init(_ path: String) throws(StressFailure) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw .inputOutput("cannot watch \(path)", errno) }
    guard addWatch(descriptor, path, UInt32(IN_MOVED_TO)) >= 0 else {
      let code = errno
      close(descriptor)
      throw .inputOutput("cannot watch \(path)", code)
    }
  }

  deinit { close(descriptor) }

  /// Forgets what has happened up to now.
  func clear() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &buffer, buffer.count) > 0 {}
  }
}
