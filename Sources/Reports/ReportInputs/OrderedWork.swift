import Dispatch
import Synchronization

/// Does pieces of work on several threads, and passes their results on in the order of the work.
///
/// At any time, at most `width` pieces run, or have a result that is not yet passed on. So a slow piece does not make
/// memory grow.
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
  ///   - width: The highest number of pieces that run, or have a result that is not yet passed on.
  ///   - handOn: Gets each result. Two calls never run at the same time.
  public init(width: Int, handOn: @escaping @Sendable (Result) -> Void) {
    slots = DispatchSemaphore(value: width)
    self.handOn = handOn
  }

  /// Adds the next piece of work. If there are already `width` pieces, the call first waits until the result of one is
  /// passed on. Results come in the order of these calls.
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
