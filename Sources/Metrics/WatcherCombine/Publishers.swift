import OpenCombine
import Watcher

#if !WatcherCombine
  #error("WatcherCombine's trait is off: write .package(…, traits: [\"WatcherCombine\"]), see Docs/packages.md")
#endif

extension Watcher.Values {
  /// The same values as a publisher of OpenCombine's, on whichever thread they come. It never fails, and ends with its source.
  ///
  /// A subscriber that asks for fewer values than there are finds the newest when it asks again.
  public var combinePublisher: AnyPublisher<Element, Never> {
    Deferred { ValuesPublisher(values: self) }.eraseToAnyPublisher()
  }
}

extension Watcher.Values {
  /// Calls `receive` with each value until the cancellable that this returns is let go.
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
