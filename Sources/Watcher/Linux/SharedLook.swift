import Synchronization

extension Watcher {
  /// The contents of a file, shared by all providers that need them at about the same time, so that the file is read
  /// once.
  final class SharedLook<Found: Sendable>: Sendable {
    /// The result of a look, or the reason why the look failed, and the time of the look.
    struct Look: Sendable {
      let result: Result<Found, Unavailability>
      let instant: UInt64
      fileprivate let root: SystemRoot
    }

    private let newest = Mutex<Look?>(nil)
    private let longest: UInt64
    private let measure: @Sendable (SystemRoot) throws(Unavailability) -> Found

    /// - Parameters:
    ///   - longest: For how many nanoseconds a look is also used for other callers. This is less than
    ///     ``RateMeter/shortestInterval``, so that no rate is computed from a single look.
    ///   - measure: Takes a look.
    init(
      for longest: UInt64 = 5_000_000, _ measure: @escaping @Sendable (SystemRoot) throws(Unavailability) -> Found
    ) {
      self.longest = longest
      self.measure = measure
    }

    /// For the machine's own files, returns the newest look, unless it is too old. Other files, which tests may change
    /// at any time, are read each time.
    func callAsFunction(_ root: SystemRoot) -> Look {
      if root == .machine, let look = newest.withLock({ $0 }), clockNanoseconds() - look.instant < longest {
        return look
      }
      return anew(root)
    }

    private func anew(_ root: SystemRoot) -> Look {
      let result: Result<Found, Unavailability>
      do { result = .success(try measure(root)) } catch { result = .failure(error) }
      let look = Look(result: result, instant: clockNanoseconds(), root: root)
      // Two threads may read at once: no thread waits for the other.
      if root == .machine { newest.withLock { $0 = look } }
      return look
    }
  }
}
