#if Desk
  import DeskStore
  import Synchronization

  /// Sends browsers the groups that have changed, as server-sent events.
  final class LiveEvents: Sendable {
    private let start = RandomText.digits(bytes: 4)
    private let changes = Mutex(0)
    private let listeners = EventListeners(most: 100)

    /// The state of a page that is made now. A page with another state has missed an event.
    var mark: String { changes.withLock { mark($0) } }

    private func mark(_ changes: Int) -> String { "\(start)-\(changes)" }

    /// The mark, and the events from now on, as they are sent.
    ///
    /// - Throws: ``Refusal`` if too many browsers listen.
    func listen() throws -> ListenedEvents { try listeners.listen { "event: mark\ndata: \(mark)\n\n" } }

    /// A group has a new report, or people changed it.
    func tell(_ fingerprint: String) {
      changes.withLock { $0 += 1 }
      listeners.send("event: group\ndata: \(fingerprint)\n\n")
    }

    /// Shows which connections are still there: a browser that is gone is found when it is written to.
    func beat() { listeners.send(": still here\n\n") }

    /// How many browsers listen.
    var count: Int { listeners.count }
  }
#endif
