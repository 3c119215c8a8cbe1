import CLinuxCalls
import Glibc
import LinuxCalls

/// Whether a thread waits for events of its event loop.
///
/// The kernel shows the system call of a sleeping thread, with its descriptor. The event loop itself waits if that
/// descriptor's epoll also contains `known`. Any other wait belongs to a piece of work.
final class ThreadPoll {
  private let thread: Int32
  private let call: Int32
  private let known: Int32
  /// The beginning of the kernel's text while the thread waits for the event loop's epoll, such as `232 0x5 `; empty
  /// until this was seen.
  private var waiting: [UInt8] = []
  /// The thread's processor time when it was last seen to wait: while that does not change, it still waits.
  private var timeAtWait: UInt64?

  /// - Parameter known: a descriptor that the event loop has in its epoll.
  /// - Returns: `nil` if the kernel does not show system calls.
  init?(of thread: Int32, with known: Int32) {
    call = LinuxCalls.open("/proc/self/task/\(thread)/syscall", O_RDONLY | O_CLOEXEC)
    self.known = known
    self.thread = thread
    if call < 0 { return nil }
  }

  deinit { close(call) }

  var isWaiting: Bool {
    let time = processorTime
    if time != nil, time == timeAtWait { return true }
    let isWaiting = isInWait
    // It may have run before the look.
    timeAtWait = isWaiting && time == processorTime ? time : nil
    return isWaiting
  }

  /// The thread's processor time in nanoseconds; `nil` if the thread has ended. It costs much less than a look at the
  /// system call.
  private var processorTime: UInt64? {
    var time = timespec()
    guard clock_gettime(linux_thread_clock(thread), &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private var isInWait: Bool {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
      let count = pread(call, bytes.baseAddress, bytes.count, 0)
      let text = bytes.prefix(max(0, count))
      if waiting.isEmpty { waiting = learn(String(decoding: text, as: UTF8.self)) }
      return !waiting.isEmpty && text.starts(with: waiting)
    }
  }

  /// The number of the call and its descriptor, if the thread waits for the event loop's epoll; else nothing. A thread
  /// that runs has the text `running`.
  private func learn(_ text: String) -> [UInt8] {
    let words = text.split(separator: " ", maxSplits: 2)
    guard words.count == 3, let number = Int(words[0]), linux_is_epoll_wait(number) != 0,
      let descriptor = Int32(words[1].dropFirst(2), radix: 16), has(descriptor)
    else { return [] }
    return Array("\(words[0]) \(words[1]) ".utf8)
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
