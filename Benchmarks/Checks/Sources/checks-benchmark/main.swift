// What ThreadGuard's checks cost where they hold, beside libdispatch's own: the best of several rounds, in nanoseconds.

import Dispatch
import Foundation
import ThreadGuard

/// The best time of one call, the empty loop taken off. Rounds are short, so that some are undisturbed.
func nanoseconds(_ calls: Int, rounds: Int = 300, _ body: () -> Void) -> Double {
  func best(_ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let times = (0..<rounds).map { _ in
      clock.measure { for _ in 0..<calls { body() } }
    }
    let least = times.min()!.components
    return (Double(least.seconds) * 1e9 + Double(least.attoseconds) / 1e9) / Double(calls)
  }
  return max(0, best(body) - best {})
}

let isQuick = CommandLine.arguments.contains("--quick")
let calls = isQuick ? 1000 : 20_000

let queue = DispatchQueue(label: "benchmark")
let main = DispatchQueue.main
let guarded = ThreadGuard.GuardedValue(wrappedValue: 1.0)
let number = 1.5

func row(_ name: String, _ value: Double, beside other: Double? = nil) {
  let ratio = other.map { String(format: "%.2f", value / $0) } ?? ""
  print("| \(name) | \(String(format: "%.1f", value)) | \(ratio) |")
}

print("| check | ns | times dispatchPrecondition |")
print("| --- | --- | --- |")
let onMain = nanoseconds(calls) { dispatchPrecondition(condition: .onQueue(main)) }
row("`dispatchPrecondition(.onQueue(main))`", onMain)
row("`assertMainQueue()`", nanoseconds(calls) { ThreadGuard.assertMainQueue() }, beside: onMain)
row("`assertMainThread()`", nanoseconds(calls) { ThreadGuard.assertMainThread() })
queue.sync {
  let onQueue = nanoseconds(calls) { dispatchPrecondition(condition: .onQueue(queue)) }
  row("`dispatchPrecondition(.onQueue(queue))`", onQueue)
  row("`assertOn(queue)`", nanoseconds(calls) { ThreadGuard.assertOn(queue) }, beside: onQueue)
}
row("`expectFinite(number)`", nanoseconds(calls) { ThreadGuard.expectFinite(number) })
row("`GuardedValue`, a read", nanoseconds(calls) { _ = guarded.wrappedValue })
row("`GuardedValue`, a write", nanoseconds(calls) { guarded.wrappedValue = 2 })
row("`Thread.isMainThread`", nanoseconds(calls) { _ = Thread.isMainThread })
let work = DispatchGroup()
row(
  "`queue.async` and its work",
  nanoseconds(isQuick ? 100 : 2_000, rounds: 20) {
    work.enter()
    queue.async { work.leave() }
  })
work.wait()
