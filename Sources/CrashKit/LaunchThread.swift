import Synchronization

/// A thread for the work on stored reports, which does one piece of work after the other, in the order of the calls.
enum LaunchThread {
  /// The work that is still to do; `nil` if there is no thread.
  private static let waiting = Mutex<[@Sendable () -> Void]?>(nil)

  /// Does the work after all earlier work. If the system gives no thread, the work is not done.
  static func run(_ work: @escaping @Sendable () -> Void) {
    let isRunning = waiting.withLock { waiting in
      defer { waiting = (waiting ?? []) + [work] }
      return waiting != nil
    }
    guard !isRunning else { return }
    let isStarted = OwnThread.startAtWork("CrashKit") { while let work = next() { work() } }
    if !isStarted { waiting.withLock { $0 = nil } }
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
