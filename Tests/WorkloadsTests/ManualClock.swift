import Synchronization

/// A clock that stands still until it is told to go on.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant()
    var next = 0
    var sleepers: [Int: (until: Instant, wake: CheckedContinuation<Void, any Error>)] = [:]
    var waiting: [(count: Int, tell: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return wake.resume(throwing: CancellationError()) }
        state.withLock { state in
          state.sleepers[number] = (deadline, wake)
          for waiter in state.waiting where waiter.count <= state.sleepers.count { waiter.tell.resume() }
          state.waiting.removeAll { $0.count <= state.sleepers.count }
        }
        // The cancellation may have come before there was anything to cancel.
        if Task.isCancelled { cancel(number) }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private func cancel(_ number: Int) {
    state.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
  }

  /// Returns once so many sleep.
  func sleepers(_ count: Int) async {
    await withCheckedContinuation { tell in
      state.withLock { state in
        if state.sleepers.count >= count { tell.resume() } else { state.waiting.append((count, tell)) }
      }
    }
  }

  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.wake)
    }
    for wake in woken { wake.resume() }
  }
}
