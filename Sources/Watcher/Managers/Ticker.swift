import Dispatch
import Synchronization

extension Watcher {
  /// Calls a function at a steady pace, on one queue.
  final class Ticker: Sendable {
    /// Serial, whatever queue it was given: ticks never overlap.
    let queue: DispatchQueue
    /// Safe: the source is reached under the lock alone.
    private struct Timer: @unchecked Sendable {
      var source: (any DispatchSourceTimer)?

      mutating func replace(by new: (any DispatchSourceTimer)?) {
        source?.cancel()
        source = new
      }
    }

    private let timer = Mutex(Timer())

    init(queue: DispatchQueue) { self.queue = DispatchQueue(label: queue.label, target: queue) }

    deinit { stop() }

    /// Begins afresh with another pace. The first call comes after `delay` seconds.
    func start(every seconds: Double, after delay: Double, _ tick: @escaping @Sendable () -> Void) {
      let source = DispatchSource.makeTimerSource(queue: queue)
      let nanoseconds = Int(seconds * 1e9)
      // Leeway lets the kernel wake the machine once for several timers.
      source.schedule(
        deadline: .now() + .nanoseconds(Int(delay * 1e9)), repeating: .nanoseconds(nanoseconds),
        leeway: .nanoseconds(nanoseconds / 20))
      source.setEventHandler(handler: tick)
      source.activate()
      let new = Timer(source: source)
      timer.withLock { $0.replace(by: new.source) }
    }

    var isTicking: Bool { timer.withLock { $0.source != nil } }

    func stop() {
      timer.withLock { $0.replace(by: nil) }
    }
  }
}
