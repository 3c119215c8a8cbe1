import CLinuxCalls
import Glibc
import LinuxCalls

/// Whether a thread waits for events of its event loop.
///
/// The kernel says which system call a sleeping thread is in, and with which descriptor. The wait is that of the event
/// loop if the descriptor's epoll also has the one that the event loop is known by; any other wait is some work's.
final class ThreadPoll {
  private let call: Int32
  private let known: Int32
  /// The event loop's epoll, once it was seen.
  private var epoll: Int32?

  /// - Parameter known: a descriptor that the event loop has in its epoll.
  /// - Returns: `nil` if the kernel does not show system calls.
  init?(of thread: Int32, with known: Int32) {
    call = LinuxCalls.open("/proc/self/task/\(thread)/syscall", O_RDONLY | O_CLOEXEC)
    self.known = known
    if call < 0 { return nil }
  }

  deinit { close(call) }

  var isWaiting: Bool {
    guard let descriptor = polled() else { return false }
    if epoll == nil, has(descriptor) { epoll = descriptor }
    return descriptor == epoll
  }

  /// The descriptor of the epoll that the thread waits for: `232 0x5 …`; `running` if the thread runs.
  private func polled() -> Int32? {
    let text = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
      let count = pread(call, bytes.baseAddress, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
    let words = text.split(separator: " ", maxSplits: 2)
    guard words.count == 3, let number = Int(words[0]), linux_is_epoll_wait(number) != 0 else { return nil }
    return Int32(words[1].dropFirst(2), radix: 16)
  }

  /// Whether an epoll has the event loop's descriptor: the kernel lists its descriptors as `tfd: 7 …`.
  private func has(_ epoll: Int32) -> Bool {
    guard let bytes = KernelFile.read("/proc/self/fdinfo/\(epoll)", atMost: 1 << 20) else { return false }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      return words.count > 1 && words[0] == "tfd:" && Int32(words[1]) == known
    }
  }
}
