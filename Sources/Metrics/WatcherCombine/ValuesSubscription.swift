import OpenCombine
import Synchronization
import Watcher

/// OpenCombine's subscribers are not Sendable: one is called by one task at a time, as its rules ask.
struct UncheckedSubscriber<Input: Sendable>: @unchecked Sendable {
  let receive: (Input) -> Subscribers.Demand
  let complete: () -> Void

  init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Never {
    receive = { subscriber.receive($0) }
    complete = { subscriber.receive(completion: .finished) }
  }
}

/// Passes on as many values as the subscriber requested, and the newest value after the next request.
final class ValuesSubscription<Element: Sendable>: Subscription, Sendable {
  fileprivate struct State: Sendable {
    var demand = 0
    var isUnlimited = false
    var isCancelled = false
    var task: Task<Void, Never>?
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let values: Watcher.Values<Element>
  private let subscriber: UncheckedSubscriber<Element>

  init(_ values: Watcher.Values<Element>, _ subscriber: UncheckedSubscriber<Element>) {
    self.values = values
    self.subscriber = subscriber
  }

  func request(_ demand: Subscribers.Demand) {
    let waiting = state.withLock { state in
      guard !state.isCancelled else { return nil as CheckedContinuation<Void, Never>? }
      state.add(demand)
      if state.task == nil { state.task = Task { await self.run() } }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  func cancel() {
    let (task, waiting) = state.withLock { state in
      state.isCancelled = true
      defer { state.waiting = nil }
      return (state.task, state.waiting)
    }
    task?.cancel()
    waiting?.resume()
  }

  private func run() async {
    for await value in values {
      await demandIsThere()
      guard !state.withLock({ $0.isCancelled }) else { return }
      let more = subscriber.receive(value)
      state.withLock { state in
        if !state.isUnlimited { state.demand -= 1 }
        state.add(more)
      }
    }
    if !state.withLock({ $0.isCancelled }) { subscriber.complete() }
  }

  private func demandIsThere() async {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if state.isCancelled || state.isUnlimited || state.demand > 0 { return true }
        state.waiting = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
  }
}

extension ValuesSubscription.State {
  fileprivate mutating func add(_ more: Subscribers.Demand) {
    guard let count = more.max else {
      isUnlimited = true
      return
    }
    demand = min(demand + count, .max / 2)
  }
}
