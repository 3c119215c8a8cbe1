#if Desk
  import DeskStore
  import Synchronization

  /// Tells browsers which groups have changed, as server-sent events.
  final class LiveEvents: Sendable {
    private static let mostListeners = 100
    /// A browser that reads slowly misses the oldest: it loads whole pages anyway.
    private static let mostWaiting = 16

    private struct Listeners {
      var last = 0
      var changes = 0
      var open: [Int: AsyncStream<String>.Continuation] = [:]
    }

    private let start = RandomText.digits(bytes: 4)
    private let listeners = Mutex(Listeners())

    /// What a page has that is made now. A page with another one has missed something.
    var mark: String { listeners.withLock { mark($0) } }

    private func mark(_ listeners: Listeners) -> String { "\(start)-\(listeners.changes)" }

    /// The mark, and the events from now on, as they are sent.
    ///
    /// - Throws: ``Refusal`` if too many browsers listen.
    func listen() throws -> AsyncStream<String> {
      let (stream, continuation) = AsyncStream.makeStream(
        of: String.self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
      let number = try listeners.withLock { listeners in
        guard listeners.open.count < Self.mostListeners else { throw Refusal(.busy, "too many browsers listen") }
        listeners.last += 1
        listeners.open[listeners.last] = continuation
        continuation.yield("event: mark\ndata: \(mark(listeners))\n\n")
        return listeners.last
      }
      continuation.onTermination = { [weak self] _ in
        self?.listeners.withLock { listeners in _ = listeners.open.removeValue(forKey: number) }
      }
      return stream
    }

    /// A group has a new report, or people changed it.
    func tell(_ fingerprint: String) {
      listeners.withLock { $0.changes += 1 }
      send("event: group\ndata: \(fingerprint)\n\n")
    }

    /// Shows which connections are still there: a browser that is gone is found when it is written to.
    func beat() { send(": still here\n\n") }

    /// How many browsers listen.
    var count: Int { listeners.withLock { $0.open.count } }

    private func send(_ text: String) {
      // A listener that has ended takes the lock itself.
      for listener in listeners.withLock({ Array($0.open.values) }) { listener.yield(text) }
    }
  }
#endif
