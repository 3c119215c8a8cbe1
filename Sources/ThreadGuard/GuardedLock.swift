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
  /// A mutex whose order against other locks is known by its name, and not only lock by lock.
  ///
  /// Use it where a lock that is inlined onto futex (`Synchronization.Mutex`) could not be seen. It is not recursive. All
  /// locks of one name are a class: taking one of them within another is reported, and an order between two classes
  /// counts for all their locks. In a release build it is a plain mutex of glibc.
  ///
  /// It has the methods of Foundation's `NSLocking`, without Foundation: `extension ThreadGuard.GuardedLock: NSLocking
  /// {}` makes it one. Safe from any thread; `unlock` belongs on the thread that locked, so hold it across no `await`.
  public final class GuardedLock: HeldLock, @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The name that reports have for it.
    public let name: String

    /// Makes a lock of the class `name`.
    public init(_ name: String) {
      self.name = name
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      precondition(pthread_mutex_init(mutex, nil) == 0)
      #if THREADGUARD
        ctg_name_lock(mutex, name)
      #endif
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    /// Takes the lock, and waits for as long as another thread has it.
    @inlinable
    @available(*, noasync, message: "a task may go on on another thread than the one that locked")
    public func lock() { pthread_mutex_lock(mutex) }

    /// Takes the lock if it is free, and says whether it did.
    @inlinable
    @available(*, noasync, message: "a task may go on on another thread than the one that locked")
    public func `try`() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    /// Gives the lock back.
    @inlinable
    @available(*, noasync, message: "a task may go on on another thread than the one that locked")
    public func unlock() { pthread_mutex_unlock(mutex) }

    /// Runs `body` with the lock held; what it throws is thrown on.
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      // Not by way of `lock`, so that the program's own function is the next one.
      pthread_mutex_lock(mutex)
      defer { unlock() }
      return try body()
    }

    /// Whether the calling thread holds the lock; `nil` where that is not known, as in a release build.
    public var isHeldByCurrentThread: Bool? { mutex.isHeldByCurrentThread }
  }
}
