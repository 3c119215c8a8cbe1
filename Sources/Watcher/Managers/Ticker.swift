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

    /// Begins afresh with another pace. The first call comes after `delay` seconds, or up to a twentieth of the pace and 50
    /// ms later: calls are put on a grid, so that the kernel wakes the machine once for several tickers.
    func start(every seconds: Double, after delay: Double, _ tick: @escaping @Sendable () -> Void) {
      let source = DispatchSource.makeTimerSource(queue: queue)
      let nanoseconds = Int(seconds * 1e9)
      let grid = Self.grid(nanoseconds)
      let first = Self.call(DispatchTime.now().uptimeNanoseconds + UInt64(delay * 1e9), on: grid)
      source.schedule(
        deadline: DispatchTime(uptimeNanoseconds: first), repeating: .nanoseconds(nanoseconds),
        leeway: .nanoseconds(Int(grid)))
      source.setEventHandler(handler: tick)
      source.activate()
      let new = Timer(source: source)
      timer.withLock { $0.replace(by: new.source) }
    }

    /// How far apart the instants are at which a ticker of this pace may call, in nanoseconds.
    static func grid(_ pace: Int) -> UInt64 { UInt64(min(max(pace / 20, 1), 50_000_000)) }

    /// The first of them that is not before `earliest`.
    static func call(_ earliest: UInt64, on grid: UInt64) -> UInt64 { (earliest + grid - 1) / grid * grid }

    var isTicking: Bool { timer.withLock { $0.source != nil } }

    func stop() {
      timer.withLock { $0.replace(by: nil) }
    }
  }
}
