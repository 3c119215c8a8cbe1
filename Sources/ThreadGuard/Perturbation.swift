#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// Adds scheduling noise from now on, so that rare races and deadlocks show soon; `nil` ends it.
  ///
  /// Before and after it takes a lock, a semaphore or a guarded value, and around work of a queue, a thread sometimes
  /// yields, or sleeps for up to 0.3 ms. Three values decide when: the seed, the thread's number (threads have numbers
  /// in the order of their creation), and how many such points the thread has passed. The same seed makes the same
  /// noise, if each thread does the same. The noise costs a few microseconds at each point.
  ///
  /// `THREADGUARD_OPTIONS=perturb=SEED`, or `perturb=no`, overrides it. It does nothing in builds without the checks.
  /// You may call it from any thread. With another seed, all threads count their points from 0 again.
  public static func perturb(seed: UInt64?) {
    #if THREADGUARD
      ctg_perturb(seed != nil, seed ?? 0)
    #endif
  }
}
