import Dispatch
import Synchronization

/// Does pieces of work on several threads. It passes on the results in the order in which the pieces were given.
///
/// At any time there are at most `width` unfinished pieces: a piece is finished when its result is passed on. So if one
/// piece is slow, the results of later pieces do not pile up in memory.
public final class OrderedWork<Result: Sendable>: Sendable {
  private struct State {
    var ready: [Int: Result] = [:]
    var nextIn = 0
    var nextOut = 0
    var isHandingOn = false
  }

  private let queue = DispatchQueue(label: "crashsym.work", attributes: .concurrent)
  private let group = DispatchGroup()
  private let slots: DispatchSemaphore
  private let state = Mutex(State())
  private let handOn: @Sendable (Result) -> Void

  /// - Parameters:
  ///   - width: The highest number of unfinished pieces.
  ///   - handOn: Gets each result. Two calls never run at the same time.
  public init(width: Int, handOn: @escaping @Sendable (Result) -> Void) {
    slots = DispatchSemaphore(value: width)
    self.handOn = handOn
  }

  /// Adds the next piece of work. If there are already `width` unfinished pieces, the call first waits until the result
  /// of one piece is passed on. Results come in the order of these calls.
  public func give(_ work: @escaping @Sendable () -> Result) {
    slots.wait()
    let number = state.withLock { state in
      defer { state.nextIn += 1 }
      return state.nextIn
    }
    queue.async(group: group) {
      self.finish(number, work())
    }
  }

  /// Waits until all results are passed on.
  public func finish() { group.wait() }

  private func finish(_ number: Int, _ result: Result) {
    state.withLock { $0.ready[number] = result }
    while let next = next() {
      handOn(next)
      slots.signal()
      state.withLock { $0.isHandingOn = false }
    }
  }

  /// The next result in order, if it is there and no other thread is handing one on.
  private func next() -> Result? {
    state.withLock { state in
      guard !state.isHandingOn, let result = state.ready.removeValue(forKey: state.nextOut) else { return nil }
      state.nextOut += 1
      state.isHandingOn = true
      return result
    }
  }
}
