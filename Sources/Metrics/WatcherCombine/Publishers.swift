import OpenCombine
import Watcher

#if !WatcherCombine
  #error("WatcherCombine's trait is off: write .package(…, traits: [\"WatcherCombine\"]), see Docs/packages.md")
#endif

extension Watcher.Values {
  /// The same values as an OpenCombine publisher, on any thread. The publisher never fails, and ends when its source
  /// ends.
  ///
  /// If a subscriber requests fewer values than there are, it gets the newest value at its next request.
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
