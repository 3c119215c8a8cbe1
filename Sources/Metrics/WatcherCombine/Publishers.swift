import OpenCombine
import Watcher

#if !WatcherCombine
  #error("WatcherCombine's trait is off: write .package(…, traits: [\"WatcherCombine\"]), see Docs/packages.md")
#endif

extension Watcher.Values {
  /// An OpenCombine publisher of the values of this sequence. It may deliver values on any thread. It never fails, and
  /// ends when the sequence ends.
  ///
  /// If more values arrive than a subscriber requests, the subscriber misses some of the values.
  public var combinePublisher: AnyPublisher<Element, Never> {
    Deferred { ValuesPublisher(values: self) }.eraseToAnyPublisher()
  }
}

extension Watcher.Values {
  /// Calls `receive` with each value until you release the returned cancellable.
  public func sink(_ receive: @escaping @Sendable (Element) -> Void) -> AnyCancellable {
    let task = Task { for await value in self { receive(value) } }
    return AnyCancellable { task.cancel() }
  }
}

private struct ValuesPublisher<Output: Sendable>: Publisher {
  typealias Failure = Never
  let values: Watcher.Values<Output>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    let subscription = ValuesSubscription(values, UncheckedSubscriber(subscriber))
    subscriber.receive(subscription: subscription)
  }
}
