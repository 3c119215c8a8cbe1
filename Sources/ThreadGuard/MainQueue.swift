import Dispatch

#if THREADGUARD
  import CThreadGuard
#endif

// Checks are transparent, so that they are part of their caller in unoptimised builds too: there a call of one would take
// more time than what it asks.
extension ThreadGuard {
  /// States that the caller must run on the main queue, or on the main actor's executor.
  ///
  /// It checks the queue and not the thread. Under `dispatchMain()`, and under `@main` with an asynchronous `main`, any
  /// free thread runs the main queue's work, and `Thread.isMainThread` is `false` there. The check also passes on a
  /// queue that targets the main queue, and in work for which the main queue waits with `sync`.
  @_transparent
  public static func assertMainQueue(
    function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line
  ) {
    #if THREADGUARD
      if ctg_is_on_main() { return }
      checkMainExecutor(Place(function, file, line))
    #endif
  }

  /// States that the caller must run on the first thread of the process.
  ///
  /// Use it for C libraries that must be called on that thread. On Linux the main queue's work may run on another
  /// thread: see ``assertMainQueue(function:file:line:)``.
  @_transparent
  public static func assertMainThread(
    function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line
  ) {
    #if THREADGUARD
      if ctg_is_main_thread() { return }
      reportOffMainThread(Place(function, file, line))
    #endif
  }

  /// States that the caller must run neither on the main queue nor on the main actor's executor. Use it in code that
  /// blocks.
  @_transparent
  public static func assertNotMain(
    function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line
  ) {
    #if THREADGUARD
      if !ctg_is_on_main() && !ctg_is_on_main_executor() { return }
      reportOnMain(Place(function, file, line))
    #endif
  }
}

#if THREADGUARD
  extension ThreadGuard {
    @usableFromInline
    static func checkMainExecutor(_ place: Place) {
      if ctg_is_on_main_executor() { return }
      let actual = currentQueueLabel
      report(
        Violation(
          CTG_RULE_OFF_MAIN_QUEUE,
          message: "\(place.function) must run on the main queue, but ran on \(whereabouts)",
          expected: DispatchQueue.main.label, actual: actual, at: place))
    }

    @usableFromInline
    static func reportOffMainThread(_ place: Place) {
      report(
        Violation(
          CTG_RULE_OFF_MAIN_THREAD,
          message: "\(place.function) must run on the main thread, but ran on \(whereabouts)", expected: "main thread",
          actual: currentThreadName, at: place))
    }

    @usableFromInline
    static func reportOnMain(_ place: Place) {
      report(
        Violation(
          CTG_RULE_BLOCKS_MAIN_QUEUE,
          message: "\(place.function) blocks, and must not run on the main queue, but ran on \(whereabouts)",
          expected: "not \(DispatchQueue.main.label)", actual: currentQueueLabel, at: place))
    }

    /// The queue and the thread, for a message.
    static var whereabouts: String {
      let label = currentQueueLabel
      return (label.isEmpty ? "no queue" : "queue \"\(label)\"") + ", thread \"\(currentThreadName)\""
    }

    static var currentQueueLabel: String {
      // libdispatch answers with its own default root queue on a thread that runs no queue at all.
      let label = String(cString: ctg_current_queue_label())
      return label == "com.apple.root.default-qos.overcommit" ? "" : label
    }
  }
#endif
