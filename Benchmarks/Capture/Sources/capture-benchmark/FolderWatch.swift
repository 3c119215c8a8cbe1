import Foundation

/// Tells when a report in a folder is finished, from the kernel's notifications.
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

  /// The time at which a report was finished (CLOCK_MONOTONIC, ns), or nil after `seconds`. Other files, such as that
  /// of the breadcrumbs, do not count.
  func nextReport(seconds: Int32) -> UInt64? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&waiting, 1, seconds * 1000) == 1 {
      let now = monotonicNanoseconds()
      if readNames().contains(where: { $0.hasSuffix(".json") }) { return now }
    }
    return nil
  }

  private func readNames() -> [String] {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      var names: [String] = []
      var offset = 0
      let headerBytes = MemoryLayout<inotify_event>.size
      while offset + headerBytes <= count {
        let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        let name = buffer[(offset + headerBytes)..<(offset + headerBytes + Int(event.len))].prefix { $0 != 0 }
        names.append(String(decoding: name, as: UTF8.self))
        offset += headerBytes + Int(event.len)
      }
      return names
    }
  }
}

func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
