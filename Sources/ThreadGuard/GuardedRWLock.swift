#if THREADGUARD
  import CThreadGuard
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ThreadGuard {
  /// A lock that many threads may hold for reading, or one thread for writing. A thread that holds the lock for reading
  /// may take the lock for reading again, because readers have priority over waiting writers, as in glibc. If a thread
  /// that holds the lock for reading takes the lock for writing, the thread waits forever; ThreadGuard reports this.
  ///
  /// Locks of one name form a class, as with ``GuardedLock``. You may use it from any thread.
  public final class GuardedRWLock: HeldLock, @unchecked Sendable {
    @usableFromInline let lock: UnsafeMutablePointer<pthread_rwlock_t>
    /// Its name in reports.
    public let name: String

    /// Makes a lock of the class `name`.
    public init(_ name: String) {
      self.name = name
      lock = .allocate(capacity: 1)
      lock.initialize(to: pthread_rwlock_t())
      precondition(pthread_rwlock_init(lock, nil) == 0)
      #if THREADGUARD
        ctg_name_lock(lock, name)
      #endif
    }

    deinit {
      pthread_rwlock_destroy(lock)
      lock.deallocate()
    }

    /// Takes the lock for reading.
    @inlinable
    @available(*, noasync, message: "after an await, a task may continue on a thread that does not hold the lock")
    public func readLock() { pthread_rwlock_rdlock(lock) }

    /// Takes the lock for writing.
    @inlinable
    @available(*, noasync, message: "after an await, a task may continue on a thread that does not hold the lock")
    public func writeLock() { pthread_rwlock_wrlock(lock) }

    /// Releases the lock, for reading or for writing.
    @inlinable
    @available(*, noasync, message: "after an await, a task may continue on a thread that does not hold the lock")
    public func unlock() { pthread_rwlock_unlock(lock) }

    /// Whether the calling thread holds the lock, for reading or writing; `nil` if that is not known, as in a release
    /// build.
    public var isHeldByCurrentThread: Bool? { lock.isHeldByCurrentThread }

    /// Runs `body` while no other thread writes, and rethrows its error.
    @inlinable
    public func withReadLock<Result: ~Copyable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_rwlock_rdlock(lock)
      defer { unlock() }
      return try body()
    }

    /// Runs `body` while no other thread reads or writes, and rethrows its error.
    @inlinable
    public func withWriteLock<Result: ~Copyable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_rwlock_wrlock(lock)
      defer { unlock() }
      return try body()
    }
  }
}
