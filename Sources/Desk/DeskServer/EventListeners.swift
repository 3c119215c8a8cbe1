#if Desk
  import Synchronization

  /// The events for one browser.
  public struct ListenedEvents: Sendable {
    /// The texts to send: server-sent events.
    public let texts: AsyncStream<String>
    /// Ends when the desk disconnects the browser because the browser reads too slowly.
    public let end: AsyncStream<Never>
  }

  /// The browsers that listen. A few texts wait for each. A browser that does not read them is disconnected, and
  /// connects again by itself.
  final class EventListeners: Sendable {
    /// The events that a browser wants.
    struct Wish: Sendable, Hashable {
      /// Which of the texts that are sent it gets.
      var topic = ""
      /// Whether its page is hidden: it gets fewer texts.
      var isSlow = false
    }

    private struct Listener {
      let wish: Wish
      let texts: AsyncStream<String>.Continuation
      let end: AsyncStream<Never>.Continuation
    }

    private struct State {
      var last = 0
      var open: [Int: Listener] = [:]
    }

    private static let mostWaiting = 16
    private let most: Int
    private let state = Mutex(State())
    private let given = Atomic(0)

    /// - Parameter most: The highest number of browsers that may listen at a time.
    init(most: Int) { self.most = most }

    /// What is sent from now on, after a first text.
    ///
    /// - Parameter first: Is called while nothing can be sent.
    /// - Throws: ``Refusal`` if too many browsers listen.
    func listen(_ wish: Wish = Wish(), first: () -> String) throws -> ListenedEvents {
      let (texts, continuation) = AsyncStream.makeStream(
        of: String.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
      let (end, ender) = AsyncStream.makeStream(of: Never.self)
      let number = try state.withLock { state in
        guard state.open.count < most else {
          throw Refusal(.busy, "too many browsers already get live updates from this desk")
        }
        state.last += 1
        state.open[state.last] = Listener(wish: wish, texts: continuation, end: ender)
        continuation.yield(first())
        return state.last
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { state in _ = state.open.removeValue(forKey: number) }
      }
      return ListenedEvents(texts: texts, end: end)
    }

    /// Sends a text to the browsers that want it.
    func send(_ text: String, to isWanted: (Wish) -> Bool = { _ in true }) {
      // A listener that ends takes the lock itself.
      let listeners = state.withLock { state in state.open.values.filter { isWanted($0.wish) } }
      for listener in listeners {
        guard case .dropped = listener.texts.yield(text) else { continue }
        given.add(1, ordering: .relaxed)
        listener.texts.finish()
        listener.end.finish()
      }
    }

    /// The events that at least one browser wants.
    var wishes: Set<Wish> { state.withLock { Set($0.open.values.map(\.wish)) } }

    /// How many browsers listen.
    var count: Int { state.withLock { $0.open.count } }

    /// How many were given up since the start.
    var givenUp: Int { given.load(ordering: .relaxed) }
  }
#endif
