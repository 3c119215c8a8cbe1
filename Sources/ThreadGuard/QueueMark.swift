#if THREADGUARD
  import Dispatch
  import Synchronization

  /// Tells which queue is running where the queue itself does not say it. Each queue that is asked about gets a key of
  /// its own, which libdispatch also finds from the queues that target it.
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
#endif
