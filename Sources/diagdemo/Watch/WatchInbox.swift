import CLinuxCalls
import Glibc
import Synchronization
import Watcher

/// News from the managers' threads for the loop that waits in poll(2).
final class WatchInbox: Sendable {
  /// Readable while there is news.
  let descriptor: Int32
  private let events = Mutex<[Watcher.MetricThresholdEvent]>([])

  init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }

  deinit { close(descriptor) }

  /// Takes in the provider's readings from now on, until the task is cancelled.
  func listen(to provider: Watcher.EventProvider) -> Task<Void, Never> {
    let events = provider.events.makeAsyncIterator()
    return Task {
      var events = events
      while let event = await events.next() { post(event) }
    }
  }

  private func post(_ event: Watcher.MetricThresholdEvent) {
    events.withLock { $0.append(event) }
    wake()
  }

  func wake() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// The events that have come, the oldest first.
  func take() -> [Watcher.MetricThresholdEvent] {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    return events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
