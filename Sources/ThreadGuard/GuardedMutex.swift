#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ThreadGuard {
  /// A value behind a lock: what `Synchronization.Mutex` is, in a form that ThreadGuard can see.
  ///
  /// Locks of one name are a class, as with ``GuardedLock``. Safe from any thread.
  public final class GuardedMutex<State>: @unchecked Sendable {
    @usableFromInline let lock: GuardedLock
    @usableFromInline var state: State

    /// Makes a lock of the class `name` around `state`.
    @inlinable
    public init(_ name: String, _ state: sending State) {
      lock = GuardedLock(name)
      self.state = state
    }

    /// The name that reports have for it.
    public var name: String { lock.name }

    /// Runs `body` on the value with the lock held; what it throws is thrown on.
    @inlinable
    public func withLock<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(lock.mutex)
      defer { lock.unlock() }
      return try body(&state)
    }

    /// The same where the lock is free; otherwise `nil`, and `body` is not run.
    @inlinable
    public func withLockIfAvailable<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      guard lock.try() else { return nil }
      defer { lock.unlock() }
      return try body(&state)
    }
  }
}
