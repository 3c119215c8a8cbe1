import Foundation

/// Tells when a file of a folder is finished, from the kernel's notifications.
final class FolderWatch {
  enum Finish {
    /// A file was renamed to its final name.
    case renamed
    /// A file that was open for writing was closed.
    case closed
  }

  private let descriptor: Int32

  init(_ path: String, until finish: Finish) throws {
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    let mask = finish == .renamed ? IN_MOVED_TO : IN_CLOSE_WRITE
    guard descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(mask)) >= 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  deinit { close(descriptor) }

  /// The time at which the next file was finished (CLOCK_MONOTONIC, ns), or nil after `seconds`.
  func nextFinish(seconds: Int32) -> UInt64? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, seconds * 1000) == 1 else { return nil }
    return monotonicNanoseconds()
  }
}

func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
