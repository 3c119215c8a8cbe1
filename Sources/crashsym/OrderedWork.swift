import Dispatch
import Synchronization

/// Does pieces of work on several threads and hands their results on in the order in which the work was given.
///
/// At most `width` pieces are under way or waiting to be handed on, so memory stays bounded behind a slow one.
final class OrderedWork<Result: Sendable>: Sendable {
  private struct State {
    var ready: [Int: Result] = [:]
    var nextOut = 0
    var isHandingOn = false
  }

  private let queue = DispatchQueue(label: "crashsym.work", attributes: .concurrent)
  private let group = DispatchGroup()
  private let slots: DispatchSemaphore
  private let state = Mutex(State())
  private let handOn: @Sendable (Result) -> Void

  /// - Parameters:
  ///   - width: How many pieces there may be at a time.
  ///   - handOn: Called with each result, never twice at a time.
  init(width: Int, handOn: @escaping @Sendable (Result) -> Void) {
    slots = DispatchSemaphore(value: width)
    self.handOn = handOn
  }

  /// Gives the next piece of work, after waiting for room. `number` counts up from 0.
  func give(_ number: Int, _ work: @escaping @Sendable () -> Result) {
    slots.wait()
    queue.async(group: group) {
      self.finish(number, work())
    }
  }

  /// Waits until all results are handed on.
  func finish() { group.wait() }

  private func finish(_ number: Int, _ result: Result) {
    state.withLock { $0.ready[number] = result }
    while let next = next() {
      handOn(next)
      slots.signal()
      state.withLock { $0.isHandingOn = false }
    }
  }

  /// The next result in order, where it is there and nobody else is handing one on.
  private func next() -> Result? {
    state.withLock { state in
      guard !state.isHandingOn, let result = state.ready.removeValue(forKey: state.nextOut) else { return nil }
      state.nextOut += 1
      state.isHandingOn = true
      return result
    }
  }
}
