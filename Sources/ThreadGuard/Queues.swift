import Dispatch

#if THREADGUARD
  import CThreadGuard
#endif

// Transparent for the reason that MainQueue.swift gives.
extension ThreadGuard {
  /// States that the caller must run on `queue`, or on a queue that targets it.
  ///
  /// `queue` is not evaluated in builds without the checks.
  @_transparent
  public static func assertOn(
    _ queue: @autoclosure () -> DispatchQueue, function: StaticString = #function, file: StaticString = #fileID,
    line: UInt = #line
  ) {
    #if THREADGUARD
      let queue = queue()
      if ctg_is_on(unsafeBitCast(queue, to: UnsafeRawPointer.self)) { return }
      checkOn(queue, Place(function, file, line))
    #endif
  }

  /// States that the caller must not run on `queue`, for example because the caller waits for work on that queue.
  ///
  /// `queue` is not evaluated in builds without the checks.
  @_transparent
  public static func assertNotOn(
    _ queue: @autoclosure () -> DispatchQueue, function: StaticString = #function, file: StaticString = #fileID,
    line: UInt = #line
  ) {
    #if THREADGUARD
      let queue = queue()
      let address = unsafeBitCast(queue, to: UnsafeRawPointer.self)
      let runs = ctg_is_on(address)
      if !runs && ctg_is_on_is_final(address) { return }
      checkNotOn(queue, runs, Place(function, file, line))
    #endif
  }
}

#if THREADGUARD
  extension ThreadGuard {
    @usableFromInline
    static func checkOn(_ queue: DispatchQueue, _ place: Place) {
      if QueueMark.isCurrent(queue) { return }
      report(
        Violation(
          CTG_RULE_WRONG_QUEUE,
          message: "\(place.function) must run on queue \"\(queue.label)\", but ran on \(whereabouts)",
          expected: queue.label, actual: currentQueueLabel, at: place))
    }

    @usableFromInline
    static func checkNotOn(_ queue: DispatchQueue, _ runs: Bool, _ place: Place) {
      guard runs || QueueMark.isCurrent(queue) else { return }
      report(
        Violation(
          CTG_RULE_FORBIDDEN_QUEUE,
          message: "\(place.function) must not run on queue \"\(queue.label)\", but ran on \(whereabouts)",
          expected: "not \(queue.label)", actual: currentQueueLabel, at: place))
    }
  }
#endif
