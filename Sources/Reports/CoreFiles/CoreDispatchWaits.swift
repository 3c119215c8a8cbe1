import CReportTerms

/// What the threads of a dead process waited for inside libdispatch.
struct CoreDispatchWaits {
  struct Wait {
    var kind: term_wait
    var object: UInt64
    var owner: Int?
    var label: UInt64?
  }

  let memory: CoreMemory

  /// Nil if the thread waited for something else.
  ///
  /// - Parameters:
  ///   - arguments: The first three of futex(2).
  ///   - function: What the function waits for that the thread is in.
  func wait(of thread: Int, _ arguments: [UInt64], _ function: term_wait) -> Wait? {
    queue(thread, arguments) ?? group(arguments, function)
  }

  /// The DispatchSemaphore that has a semaphore of libc inside.
  func semaphore(_ address: UInt64) -> UInt64? {
    let object = address &- UInt64(TERM_SEMAPHORE_BEFORE)
    guard let words = words(object, TERM_SEMAPHORE_WORDS), term_is_dispatch_semaphore(words) else {
      return nil
    }
    return object
  }

  private func queue(_ thread: Int, _ arguments: [UInt64]) -> Wait? {
    let start = arguments[0] &- UInt64(TERM_SYNC_BEFORE)
    guard term_may_wait_for_queue(arguments[1], arguments[2]), let id = Int32(exactly: thread),
      let words = words(start, TERM_SYNC_WORDS)
    else { return nil }
    return busyQueue(id, term_sync_queue(words, arguments[0], id))
  }

  /// If the thread has got the queue already, it waits for the one behind it. A root queue is never waited for.
  private func busyQueue(_ thread: Int32, _ first: UInt64) -> Wait? {
    var found: Wait?
    var queue = first
    for index in 0..<Int(TERM_QUEUES_MAX) where queue != 0 {
      var read = term_queue()
      guard let words = words(queue, TERM_QUEUE_WORDS), term_queue_read(words, &read) else { break }
      let isOwn = read.owner == thread
      if index == 0 || (!isOwn && read.target != 0) {
        let owner = isOwn || read.owner == 0 ? nil : Int(read.owner)
        found = Wait(kind: TERM_WAIT_QUEUE, object: queue, owner: owner, label: read.label == 0 ? nil : read.label)
      }
      guard isOwn else { break }
      queue = read.target
    }
    return found
  }

  private func group(_ arguments: [UInt64], _ function: term_wait) -> Wait? {
    let group = arguments[0] &- UInt64(TERM_GROUP_BEFORE)
    guard term_may_wait_for_group(arguments[1]), let words = words(group, TERM_GROUP_WORDS),
      term_is_group(words, arguments[2])
    else { return nil }
    return Wait(kind: function == TERM_WAIT_WORK_ITEM ? function : TERM_WAIT_GROUP, object: group)
  }

  private func words(_ address: UInt64, _ count: Int) -> [UInt64]? {
    let bytes = memory.read(address, count * 8)
    guard address % 8 == 0, bytes.count == count * 8 else { return nil }
    return bytes.withUnsafeBytes { bytes in
      (0..<count).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
    }
  }
}
