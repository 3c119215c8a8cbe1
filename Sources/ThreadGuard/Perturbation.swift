#if THREADGUARD
  import CThreadGuard
#endif

extension ThreadGuard {
  /// Adds scheduling noise from now on, so that rare races and deadlocks show soon; `nil` ends it.
  ///
  /// At certain points a thread sometimes yields, or sleeps for up to 0.3 ms. The points are: before a thread takes a
  /// lock, after it releases a lock, around waits, around the work of queues, and at accesses to a ``GuardedValue``.
  /// `Docs/threadguard-noise.md` lists all points. The noise costs a few microseconds at each point.
  ///
  /// Three values decide what happens at a point: the seed, the thread's number, and how many points the thread has
  /// passed. Threads are numbered in the order of their creation. So if each thread does the same as in another run,
  /// the same seed makes the same noise.
  ///
  /// `THREADGUARD_OPTIONS=perturb=SEED` and `perturb=no` override this call. The call does nothing in builds without
  /// the checks. You may call it from any thread. If you pass another seed, all threads count their points from 0
  /// again.
  public static func perturb(seed: UInt64?) {
    #if THREADGUARD
      ctg_perturb(seed != nil, seed ?? 0)
    #endif
  }
}
