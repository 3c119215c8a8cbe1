#if CrashKitUpload
  import Dispatch
  import Synchronization

  /// The end of a thread, for which threads and tasks wait.
  final class Ending: Sendable {
    private struct State {
      var hasCome = false
      var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// Marks the end, and wakes all that wait for it.
    func end() {
      let waiting = state.withLock { state in
        state.hasCome = true
        return state.waiting
      }
      for wake in waiting { wake() }
      semaphore.signal()
    }

    /// Waits for it, on a thread that may wait. One thread can.
    func wait() { semaphore.wait() }

    /// Whether it comes within so long. That the task is cancelled does not shorten the wait.
    func comes(within limit: Duration) async -> Bool {
      await withCheckedContinuation { continuation in
        let answer = Answer(continuation)
        let hasCome = state.withLock { state in
          state.waiting.append { answer.give(true) }
          return state.hasCome
        }
        if hasCome { answer.give(true) }
        // A task of its own: it is not cancelled.
        Task {
          try? await Task.sleep(for: limit)
          answer.give(false)
        }
      }
    }

    /// The first one counts.
    private final class Answer: Sendable {
      private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

      init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Mutex(continuation) }

      func give(_ value: Bool) {
        let first = continuation.withLock { continuation in
          defer { continuation = nil }
          return continuation
        }
        first?.resume(returning: value)
      }
    }
  }
#endif
