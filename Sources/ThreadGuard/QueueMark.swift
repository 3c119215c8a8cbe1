#if THREADGUARD
  import Dispatch
  import Synchronization

  /// Finds the running queue, if the queue itself does not show it. Each queue in question gets a separate key, which
  /// libdispatch also finds from queues that target this queue.
  enum QueueMark {
    // Swift 6.0's libdispatch does not say that threads may share a key. It is an address that is compared.
    private struct Shared<Value>: @unchecked Sendable {
      let key = DispatchSpecificKey<Value>()
    }

    private final class Mark: Sendable {
      let isOwn = Shared<Bool>()
    }

    private static let marks = Shared<Mark>()
    private static let marking = Mutex(())

    static func isCurrent(_ queue: DispatchQueue) -> Bool {
      DispatchQueue.getSpecific(key: mark(of: queue).isOwn.key) == true
    }

    private static func mark(of queue: DispatchQueue) -> Mark {
      if let mark = queue.getSpecific(key: marks.key) { return mark }
      return marking.withLock { _ in
        if let mark = queue.getSpecific(key: marks.key) { return mark }
        let mark = Mark()
        queue.setSpecific(key: mark.isOwn.key, value: true)
        queue.setSpecific(key: marks.key, value: mark)
        return mark
      }
    }
  }
#endif
