#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// Makes scheduling noise from now on, so that races and deadlocks that need luck show soon; `nil` ends it.
  ///
  /// Where a lock, a semaphore or a guarded value is about to be taken or was given back, and around work of a queue, a
  /// thread now and then yields, or sleeps for up to 0.3 ms. When it does follows from the seed, the thread's number (the
  /// threads of a process are numbered in the order that they are made in) and how often it has come by: the same seed
  /// makes the same noise, as long as each thread does the same. It costs a few microseconds at each boundary.
  ///
  /// `THREADGUARD_OPTIONS=perturb=SEED`, or `perturb=no`, goes before. Does nothing where the checks are left out. Safe
  /// from any thread; with another seed all threads begin anew.
  public static func perturb(seed: UInt64?) {
    #if THREADGUARD
      ctg_perturb(seed != nil, seed ?? 0)
    #endif
  }
}
