// What ThreadGuard's checks cost where they hold, beside libdispatch's own, in nanoseconds. All are timed in turns, in
// rounds that are short, so that some are undisturbed; an empty loop is taken off.

import Dispatch
import Foundation
import ThreadGuard

struct Check {
  var name: String
  /// The check of libdispatch's that it is held against.
  var peer: String?
  var calls: Int
  var body: () -> Void
  var times: [Double] = []

  init(_ name: String, beside peer: String? = nil, calls: Int? = nil, body: @escaping () -> Void) {
    self.name = name
    self.peer = peer
    self.calls = calls ?? (isQuick ? 200 : 5_000)
    self.body = body
  }

  /// The time of one call in one round.
  func time() -> Double {
    let spent = ContinuousClock().measure { for _ in 0..<calls { body() } }.components
    return (Double(spent.seconds) * 1e9 + Double(spent.attoseconds) / 1e9) / Double(calls)
  }

  var best: Double { times.min()! }
  var median: Double { times.sorted()[times.count / 2] }
}

let isQuick = CommandLine.arguments.contains("--quick")
let empty = "an empty loop"

/// Times them, and prints a row for each.
func measure(_ given: [Check]) {
  var checks = [Check(empty) {}] + given
  for _ in 0..<(isQuick ? 20 : 1_000) {
    for place in checks.indices { checks[place].times.append(checks[place].time()) }
  }
  let loop = checks[0]
  let ratio = { (own: Double, peer: Double) in String(format: "%.2f", own / peer) }
  for check in checks.dropFirst() {
    let best = max(0, check.best - loop.best)
    let median = max(0, check.median - loop.median)
    let cells = String(format: "%.1f (%.1f)", best, median)
    guard let peer = checks.first(where: { $0.name == check.peer }) else {
      print("| \(check.name) | \(cells) | |")
      continue
    }
    let ratios = "\(ratio(best, peer.best - loop.best)) (\(ratio(median, peer.median - loop.median)))"
    print("| \(check.name) | \(cells) | \(ratios) |")
  }
}

let queue = DispatchQueue(label: "benchmark")
let other = DispatchQueue(label: "another")
let main = DispatchQueue.main
let guarded = ThreadGuard.GuardedValue(wrappedValue: 1.0)
let number = 1.5

print("| check | ns: best (median) | times dispatchPrecondition |")
print("| --- | ---: | ---: |")
let onMain = "`dispatchPrecondition(.onQueue(main))`"
measure([
  Check(onMain) { dispatchPrecondition(condition: .onQueue(main)) },
  Check("`assertMainQueue()`", beside: onMain) { ThreadGuard.assertMainQueue() },
  Check("`assertMainThread()`") { ThreadGuard.assertMainThread() },
  Check("`expectFinite(number)`") { ThreadGuard.expectFinite(number) },
  Check("`GuardedValue`, a read") { _ = guarded.wrappedValue },
  Check("`GuardedValue`, a write") { guarded.wrappedValue = 2 },
  Check("`Thread.isMainThread`") { _ = Thread.isMainThread },
])
let onQueue = "`dispatchPrecondition(.onQueue(queue))`"
let notOnQueue = "`dispatchPrecondition(.notOnQueue(other))`"
queue.sync {
  measure([
    Check(onQueue) { dispatchPrecondition(condition: .onQueue(queue)) },
    Check("`assertOn(queue)`", beside: onQueue) { ThreadGuard.assertOn(queue) },
    Check(notOnQueue) { dispatchPrecondition(condition: .notOnQueue(other)) },
    Check("`assertNotOn(other)`", beside: notOnQueue) { ThreadGuard.assertNotOn(other) },
  ])
}
let notOnMain = "`dispatchPrecondition(.notOnQueue(main))`"
let global = DispatchQueue.global()
let isDone = DispatchSemaphore(value: 0)
global.async {
  measure([
    Check(notOnMain) { dispatchPrecondition(condition: .notOnQueue(main)) },
    Check("`assertNotMain()`", beside: notOnMain) { ThreadGuard.assertNotMain() },
  ])
  isDone.signal()
}
isDone.wait()
let work = DispatchGroup()
measure([
  Check("`queue.async` and its work", calls: isQuick ? 20 : 200) {
    work.enter()
    queue.async { work.leave() }
  }
])
work.wait()
