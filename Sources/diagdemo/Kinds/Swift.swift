extension CrashKind {
  /// What the Swift runtime and the code of the compiler check for.
  static let swift = [
    CrashKind("index-out-of-range", "read past the end of an array") { SwiftCrashes.indexOutOfRange([1, 2, 3], 7) },
    CrashKind("force-unwrap", "unwrap nil") { SwiftCrashes.forceUnwrap(nil) },
    CrashKind("force-cast", "cast to the wrong type") { SwiftCrashes.forceCast("text") },
    CrashKind("force-try", "try! a function that throws") { SwiftCrashes.forceTry() },
    CrashKind("fatal-error", "call fatalError") { SwiftCrashes.fatalErrorCall() },
    CrashKind("precondition", "fail a precondition") { SwiftCrashes.failPrecondition(-1) },
    CrashKind("precondition-failure", "call preconditionFailure") { SwiftCrashes.preconditionFailureCall() },
    CrashKind("assertion-failure", "call assertionFailure, which optimised builds leave out") {
      SwiftCrashes.assertionFailureCall()
    },
    CrashKind("integer-overflow", "add 1 to Int.max") { SwiftCrashes.addOne(to: .max) },
    CrashKind("swift-divide-by-zero", "divide by zero in Swift") { SwiftCrashes.divide(1, by: 0) },
    CrashKind("exclusivity", "modify a variable while it is being modified") { SwiftCrashes.breakExclusivity() },
    CrashKind("unowned", "use an unowned reference to a dead object") { SwiftCrashes.useDeadUnowned() },
    CrashKind("mutex-recursion", "lock a Mutex that the thread holds") { MutexCrashes.lockTwice() },
    CrashKind("mutex-cycle", "let two threads wait for each other's Mutex") { MutexCrashes.lockInACircle() },
    CrashKind("async-crash", "unwrap nil several awaits deep", .asynchronous { await SwiftCrashes.asyncCrash() }),
  ]
}
