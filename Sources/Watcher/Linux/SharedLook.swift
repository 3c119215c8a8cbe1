import Synchronization

extension Watcher {
  /// The contents of a file, for all providers that ask within a moment: those that tick together read it once.
  final class SharedLook<Found: Sendable>: Sendable {
    /// What was found, or why nothing was, and when.
    struct Look: Sendable {
      let result: Result<Found, Unavailability>
      let instant: UInt64
      fileprivate let root: SystemRoot
    }

    private let newest = Mutex<Look?>(nil)
    private let longest: UInt64
    private let measure: @Sendable (SystemRoot) throws(Unavailability) -> Found

    /// - Parameters:
    ///   - longest: For how many nanoseconds a look serves others too. Less than ``RateMeter/shortestInterval``, so that no
    ///     rate is ever made of one look.
    ///   - measure: Has a look.
    init(
      for longest: UInt64 = 5_000_000, _ measure: @escaping @Sendable (SystemRoot) throws(Unavailability) -> Found
    ) {
      self.longest = longest
      self.measure = measure
    }

    /// Of the machine's own files the newest look, unless it is too old. Others' files, which may change as tests please,
    /// are looked at each time.
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
