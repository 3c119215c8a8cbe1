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
  /// A mutex with a name. For the lock order, ThreadGuard does not distinguish locks that have the same name.
  ///
  /// Use it in place of a lock that ThreadGuard cannot see, such as `Synchronization.Mutex`, whose code is inlined and
  /// uses futex. A `GuardedLock` is not recursive. In a release build it is a plain glibc mutex.
  ///
  /// All locks with the same name form a class. If a thread takes a lock of a class while it holds another lock of this
  /// class, ThreadGuard reports this. If a thread takes a lock of class B while it holds a lock of class A, the order
  /// "A before B" applies to all locks of both classes.
  ///
  /// A `GuardedLock` has the methods of Foundation's `NSLocking`, but does not import Foundation. To make the type
  /// conform, write `extension ThreadGuard.GuardedLock: NSLocking {}`. You may use the lock from any thread. The thread
  /// that locked must also unlock, so do not hold the lock across an `await`.
  public final class GuardedLock: HeldLock, @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Its name in reports.
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

    /// Takes the lock. Waits while another thread holds it.
    @inlinable
    @available(*, noasync, message: "after an await, a task may continue on a thread that does not hold the lock")
    public func lock() { pthread_mutex_lock(mutex) }

    /// Takes the lock if it is free. Returns whether it took the lock.
    @inlinable
    @available(*, noasync, message: "after an await, a task may continue on a thread that does not hold the lock")
    public func `try`() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    /// Releases the lock.
    @inlinable
    @available(*, noasync, message: "after an await, a task may continue on a thread that does not hold the lock")
    public func unlock() { pthread_mutex_unlock(mutex) }

    /// Runs `body` with the lock held, and rethrows its error.
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      // Not by way of `lock`, so that the program's own function is the next one.
      pthread_mutex_lock(mutex)
      defer { unlock() }
      return try body()
    }

    /// Whether the calling thread holds the lock; `nil` if that is not known, as in a release build.
    public var isHeldByCurrentThread: Bool? { mutex.isHeldByCurrentThread }
  }
}
