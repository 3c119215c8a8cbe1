// A load that is NaN now and then, and at last the end of the process: a provider whose lock covers only half of its
// work, called by a timer and, in the background, from another queue.

import CrashKit
import Foundation
import ThreadGuard

/// Time that the processor has been busy, and all time, in clock ticks.
struct Ticks: Sendable {
  var busy: Double
  var total: Double
}

/// How much of the time since the last call the processor was busy.
final class CPULoad: @unchecked Sendable {
  private let lock = NSLock()
  @ThreadGuard.GuardedValue private var previous: Ticks? = nil
  private let read: @Sendable () -> Ticks

  init(read: @escaping @Sendable () -> Ticks) { self.read = read }

  func current() -> Double {
    // The mistake: the lock should begin here and end after the last line, and each caller have a sample of its own.
    let now = read()
    guard let before = previous else {
      previous = now
      return 0
    }
    let load = lock.withLock { share(from: before, to: now) }
    previous = now
    return load
  }

  private func share(from before: Ticks, to now: Ticks) -> Double {
    let busy = now.busy - before.busy
    let total = now.total - before.total
    return busy / total
  }
}

/// Whether the load is high. A NaN fails the only test, and counts as critical.
func isCritical(_ load: Double) -> Bool { load < 0.9 ? false : true }

func percentage(_ load: Double) -> String { "\(Int(load * 100)) %" }

/// Calls the provider on two queues until their calls have met, or for two seconds.
func sample(_ provider: CPULoad, on queues: [DispatchQueue]) {
  let end = Date() + 2
  let done = DispatchGroup()
  for queue in queues {
    queue.async(group: done) { while Date() < end { _ = provider.current() } }
  }
  done.wait()
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(.init(application: .init(name: "nan-story", version: "1.0")))
    try ThreadGuard.NaNTrap.enable()
    let metric = CrashKit.registerMetric("cpu.load", unit: "ratio")

    let shared = CPULoad { Ticks(busy: Double(clock()), total: Date().timeIntervalSince1970 * 1e6) }
    sample(shared, on: [DispatchQueue(label: "timer"), DispatchQueue(label: "background")])

    // The kernel counts in ticks of 10 ms: a second caller within one finds that no time has passed.
    CrashKit.record("DidEnterBackground", category: "lifecycle")
    let ticks = CPULoad { Ticks(busy: 420, total: 1000) }
    var load = ticks.current()
    load = ticks.current()
    metric.update(load, state: isCritical(load) ? .critical : .nominal)
    print(percentage(load))
  }
}
