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
  /// A lock that many may hold to read, or one to write. As with glibc's own, a thread may read again while it reads,
  /// since readers go before waiting writers; reading and then writing under one lock waits for ever, and is reported.
  ///
  /// Locks of one name are a class, as with ``GuardedLock``. Safe from any thread.
  public final class GuardedRWLock: HeldLock, @unchecked Sendable {
    @usableFromInline let lock: UnsafeMutablePointer<pthread_rwlock_t>
    /// The name that reports have for it.
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

    /// Takes the lock to read.
    @inlinable
    @available(*, noasync, message: "a task may go on on another thread than the one that locked")
    public func readLock() { pthread_rwlock_rdlock(lock) }

    /// Takes the lock to write.
    @inlinable
    @available(*, noasync, message: "a task may go on on another thread than the one that locked")
    public func writeLock() { pthread_rwlock_wrlock(lock) }

    /// Gives the lock back, however it was taken.
    @inlinable
    @available(*, noasync, message: "a task may go on on another thread than the one that locked")
    public func unlock() { pthread_rwlock_unlock(lock) }

    /// Whether the calling thread holds the lock, to read or to write; `nil` where that is not known, as in a release build.
    public var isHeldByCurrentThread: Bool? { lock.isHeldByCurrentThread }

    /// Runs `body` while no other thread writes; what it throws is thrown on.
    @inlinable
    public func withReadLock<Result: ~Copyable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_rwlock_rdlock(lock)
      defer { unlock() }
      return try body()
    }

    /// Runs `body` while no other thread reads or writes; what it throws is thrown on.
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
