#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// States that the caller must run isolated to `actor`. Unlike `preconditionIsolated`, it does not end the process.
  ///
  /// `actor` is not evaluated in builds without the checks. If an actor has its own executor, and this executor does
  /// not implement `isIsolatingCurrentContext()`, the check works only in tasks: outside of tasks it reports nothing.
  @_transparent
  public static func assertIsolated(
    to actor: @autoclosure () -> any Actor, function: StaticString = #function, file: StaticString = #fileID,
    line: UInt = #line
  ) {
    #if THREADGUARD
      checkIsolated(to: actor(), Place(function, file, line))
    #endif
  }
}

#if THREADGUARD
  extension ThreadGuard {
    @usableFromInline
    static func checkIsolated(to actor: any Actor, _ place: Place) {
      let executor = actor.unownedExecutor
      let words = unsafeBitCast(executor, to: (UInt, UInt).self)
      switch ctg_is_on_executor(words.0, words.1) {
      case 1: return
      case 0: break
      // An older runtime would end the process.
      default: return
      }
      // The main actor's own executor knows the main queue's work only where that is a task's.
      let isMain = words == unsafeBitCast(MainActor.sharedUnownedExecutor, to: (UInt, UInt).self)
      if isMain && ctg_is_on_main() { return }
      // The second word of the executor of a default actor is zero; another one may not know.
      if !isMain && words.1 != 0 && withUnsafeCurrentTask(body: { $0 == nil }) && !executor.knowsWhatItRuns { return }
      report(
        Violation(
          CTG_RULE_WRONG_ACTOR,
          message: "\(place.function) must run isolated to \(type(of: actor)), but ran on \(whereabouts)",
          expected: "\(type(of: actor))", actual: currentQueueLabel, at: place))
    }
  }
#endif
