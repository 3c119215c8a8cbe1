#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ThreadGuard {
  /// A value behind a lock: like `Synchronization.Mutex`, but visible to ThreadGuard.
  ///
  /// Locks of one name form a class, as with ``GuardedLock``. You may use it from any thread.
  public final class GuardedMutex<State>: @unchecked Sendable {
    @usableFromInline let lock: GuardedLock
    @usableFromInline var state: State

    /// Makes a lock of the class `name` around `state`.
    @inlinable
    public init(_ name: String, _ state: sending State) {
      lock = GuardedLock(name)
      self.state = state
    }

    /// Its name in reports.
    public var name: String { lock.name }

    /// Runs `body` on the value with the lock held, and rethrows its error.
    @inlinable
    public func withLock<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(lock.mutex)
      defer { lock.unlock() }
      return try body(&state)
    }

    /// Runs `body` on the value if the lock is free. Otherwise returns `nil` and does not run `body`.
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
