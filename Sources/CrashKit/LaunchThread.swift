import Synchronization

/// A thread for what is done about stored reports: one thing after the other, in the order in which it was wanted.
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
