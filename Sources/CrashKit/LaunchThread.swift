import CCrashCapture
import Synchronization

/// A thread for what is done about stored reports: one thing after the other, in the order in which it was wanted.
///
/// A fork waits for it, since the child would have no use of a lock of the Swift runtime's that it holds.
enum LaunchThread {
  /// What is to be done yet; `nil` if there is no thread.
  private static let waiting = Mutex<[@Sendable () -> Void]?>(nil)

  /// Does it after all that is to be done already. If the system has no thread, it is not done.
  static func run(_ work: @escaping @Sendable () -> Void) {
    let isRunning = waiting.withLock { waiting in
      defer { waiting = (waiting ?? []) + [work] }
      return waiting != nil
    }
    guard !isRunning else { return }
    // Before the thread begins, which is in Swift as well.
    ck_launch_work_begins()
    let isStarted = OwnThread.start("CrashKit") {
      while let work = next() { work() }
      ck_launch_work_ends()
    }
    guard !isStarted else { return }
    waiting.withLock { $0 = nil }
    ck_launch_work_ends()
  }

  /// Calls a function of the program's, on this thread: no fork waits for that.
  static func callProgram(_ body: () -> Void) {
    ck_launch_work_ends()
    defer { ck_launch_work_begins() }
    body()
  }

  private static func next() -> (@Sendable () -> Void)? {
    waiting.withLock { waiting in
      guard let first = waiting?.first else {
        waiting = nil
        return nil
      }
      waiting?.removeFirst()
      return first
    }
  }
}
