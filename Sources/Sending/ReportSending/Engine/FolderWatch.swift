import CLinuxCalls
import Glibc
import LinuxCalls

/// Waits until a report gets its final name in one of several folders.
package struct FolderWatch: ~Copyable {
  private static let events = UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE)
  /// A folder that cannot be watched is looked at so often, in milliseconds.
  private static let interval: Int64 = 10_000

  private let descriptor: Int32
  private var isWatching = true

  /// - Parameter folders: Descriptors of the folders.
  package init(_ folders: [Int32]) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    for folder in folders where addWatch(descriptor, "/proc/self/fd/\(folder)", Self.events) < 0 { isWatching = false }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Waits until a report comes. Other changes of the folder, such as that of the journal, do not end the wait.
  ///
  /// - Parameters:
  ///   - milliseconds: The time limit; `nil` means no limit.
  ///   - stop: Also ends the wait.
  package borrowing func wait(milliseconds: Int64?, until stop: StopSignal? = nil) {
    var limit = milliseconds.map { max(0, $0) }
    if !isWatching { limit = min(limit ?? Self.interval, Self.interval) }
    let end = limit.map { ContinuousClock.now + .milliseconds($0) }
    while true {
      let rest = end.map { ($0 - .now) / .milliseconds(1) }
      if let rest, rest <= 0 { return }
      // One that is negative is left out.
      var polled = [descriptor, stop?.descriptor ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      _ = poll(&polled, 2, rest.map { Int32(min($0.rounded(.up), 1e9)) } ?? -1)
      if stop?.isStopped == true || readsReport() { return }
    }
  }

  /// Reads the events that there are; whether one is of a report.
  private borrowing func readsReport() -> Bool {
    let head = MemoryLayout<inotify_event>.size
    var found = false
    var events = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &events, events.count)
      guard count > 0 else { return found }
      var place = 0
      while place + head <= count {
        let event = events.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self) }
        let name = events[(place + head)..<min(place + head + Int(event.len), count)].prefix { $0 != 0 }
        // Without a name the kernel had no room for events, or the folder is gone.
        if name.isEmpty || ReportFolder.isReport(String(systemBytes: Array(name))) { found = true }
        place += head + Int(event.len)
      }
    }
  }
}
