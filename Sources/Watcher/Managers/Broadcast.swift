import Synchronization

extension Watcher {
  /// A stream of values with any number of listeners. Each listener gets the newest value that it has not seen. A slow
  /// listener misses values, but does not delay other listeners.
  public struct Values<Element: Sendable>: AsyncSequence, Sendable {
    fileprivate let source: Broadcast<Element>

    /// Begins to listen. Each iterator is a listener of its own: a value that one iterator takes still reaches the
    /// others.
    public func makeAsyncIterator() -> AsyncStream<Element>.AsyncIterator { source.listen().makeAsyncIterator() }
  }

  /// Sends values to all listeners, from any thread.
  final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
      var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
      var nextListener = 0
      var newest: Element?
      var isFinished = false
    }

    private let state = Mutex(State())
    /// Held while values are sent, so that all listeners get them in the same order. A cancelled task calls `forget`
    /// while it holds a lock of the runtime. Sending to that task needs the same lock, so `forget` must not wait for
    /// this lock.
    private let telling = Mutex(())
    private let repeatsNewest: Bool
    private let kept: Int

    /// - Parameters:
    ///   - repeatsNewest: Whether a new listener gets the newest value at once.
    ///   - kept: How many values wait for a slow listener. Further values replace the oldest.
    init(repeatsNewest: Bool, kept: Int = 1) {
      self.repeatsNewest = repeatsNewest
      self.kept = kept
    }

    deinit { finish() }

    var values: Values<Element> { Values(source: self) }

    func send(_ element: Element) {
      telling.withLock { _ in
        let listeners = state.withLock { state in
          if repeatsNewest { state.newest = element }
          return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(element) }
      }
    }

    func finish() {
      let listeners = state.withLock { state in
        state.isFinished = true
        return Array(state.listeners.values)
      }
      for listener in listeners { listener.finish() }
    }

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    fileprivate func listen() -> AsyncStream<Element> {
      let (stream, listener) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(kept))
      let number: Int? = state.withLock { state in
        if let newest = state.newest { listener.yield(newest) }
        if state.isFinished { return nil }
        state.nextListener += 1
        state.listeners[state.nextListener] = listener
        return state.nextListener
      }
      guard let number else {
        listener.finish()
        return stream
      }
      listener.onTermination = { [weak self] _ in
        // Not under the lock of a stream that just receives a value.
        self?.forget(number)
      }
      return stream
    }

    private func forget(_ number: Int) {
      let gone = state.withLock { $0.listeners.removeValue(forKey: number) }
      _ = gone
    }
  }
}
