import CThreadGuard
import Dispatch
import Synchronization

extension ThreadGuard {
  /// States that the caller must run on the main queue, or on the main actor, whose executor that queue is.
  ///
  /// What is checked is the queue and not the thread: under `dispatchMain()`, and under `@main` with an asynchronous
  /// `main`, the main queue's work runs on whichever thread is free, and `Thread.isMainThread` is `false` there.
  @inlinable
  public static func assertMainQueue(function: String = #function, file: String = #fileID, line: Int = #line) {
    #if DEBUG
      check(.main, function: function, file: file, line: line)
    #endif
  }

  /// States that the caller must run on `queue`, be it directly or below a queue that targets it.
  ///
  /// `queue` is not evaluated in a release build.
  @inlinable
  public static func assertOn(
    _ queue: @autoclosure () -> DispatchQueue, function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    #if DEBUG
      check(queue(), function: function, file: file, line: line)
    #endif
  }

  @usableFromInline
  static func check(_ queue: DispatchQueue, function: String, file: String, line: Int) {
    if QueueMark.isCurrent(queue) { return }
    report(
      Violation(
        kind: .mainQueueViolation, expectedQueue: queue.label, actualQueue: currentQueueLabel,
        thread: currentThreadName, function: function, file: file, line: line))
  }

  private static var currentQueueLabel: String {
    // libdispatch answers with its own default root queue on a thread that runs no queue at all.
    let label = String(cString: ctg_current_queue_label())
    return label == "com.apple.root.default-qos.overcommit" ? "" : label
  }
}

/// Tells which queue is running without a trap. Each queue that is asked about gets a key of its own, which libdispatch
/// also finds from the queues that target it.
enum QueueMark {
  private final class Mark: Sendable {
    let key = DispatchSpecificKey<Bool>()
  }

  private static let marks = DispatchSpecificKey<Mark>()
  private static let marking = Mutex(())

  static func isCurrent(_ queue: DispatchQueue) -> Bool {
    DispatchQueue.getSpecific(key: mark(of: queue).key) == true
  }

  private static func mark(of queue: DispatchQueue) -> Mark {
    if let mark = queue.getSpecific(key: marks) { return mark }
    return marking.withLock { _ in
      if let mark = queue.getSpecific(key: marks) { return mark }
      let mark = Mark()
      queue.setSpecific(key: mark.key, value: true)
      queue.setSpecific(key: marks, value: mark)
      return mark
    }
  }
}
