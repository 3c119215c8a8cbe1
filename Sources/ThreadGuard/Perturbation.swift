#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// Adds scheduling noise from now on, so that rare races and deadlocks show soon; `nil` ends it.
  ///
  /// Before and after it takes a lock, a semaphore or a guarded value, and around work of a queue, a thread sometimes
  /// yields, or sleeps for up to 0.3 ms. The seed, the thread's number (threads have numbers in the order of their
  /// creation) and the count of its boundaries decide when. The same seed makes the same noise, if each thread does the
  /// same. It costs a few microseconds at each boundary.
  ///
  /// `THREADGUARD_OPTIONS=perturb=SEED`, or `perturb=no`, overrides it. It does nothing in builds without the checks.
  /// You may call it from any thread. With another seed all threads begin again.
  public static func perturb(seed: UInt64?) {
    #if THREADGUARD
      ctg_perturb(seed != nil, seed ?? 0)
    #endif
  }
}
