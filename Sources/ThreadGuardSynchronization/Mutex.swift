@_exported import Synchronization

#if THREADGUARD

  import Glibc

  /// A value behind a lock: like `Synchronization.Mutex`, but visible to ThreadGuard.
  ///
  /// Import `ThreadGuardSynchronization` in place of `Synchronization`. In builds without ThreadGuard's checks, `Mutex`
  /// is an alias of `Synchronization.Mutex`. In builds with the checks, it is a mutex of glibc in allocated memory,
  /// without priority inheritance. If a thread locks a mutex that it already holds, the program ends, as with
  /// `Synchronization.Mutex`. You may use it from any thread.
  public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    nonisolated(unsafe) private let value: UnsafeMutablePointer<Value>

    /// Makes a lock around `initialValue`.
    public init(_ initialValue: consuming sending Value) {
      lock = .allocate(capacity: 1)
      lock.initialize(to: pthread_mutex_t())
      value = .allocate(capacity: 1)
      value.initialize(to: initialValue)
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
      precondition(pthread_mutex_init(lock, &attributes) == 0)
      pthread_mutexattr_destroy(&attributes)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
      value.deinitialize(count: 1)
      value.deallocate()
    }

    /// Runs `body` on the value with the lock held, and rethrows its error. Waits while another thread holds the lock.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      guard pthread_mutex_lock(lock) == 0 else { fatalError("Recursive call to lock Mutex") }
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }

    /// Runs `body` on the value if the lock is free. Otherwise returns `nil` and does not run `body`.
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      guard pthread_mutex_trylock(lock) == 0 else { return nil }
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }
  }

#else

  /// `Synchronization.Mutex`: this build has none of ThreadGuard's checks.
  public typealias Mutex<Value: ~Copyable> = Synchronization.Mutex<Value>

#endif
