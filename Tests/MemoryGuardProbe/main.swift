// A program that links CrashKitGuard beside CrashKit: memory-guard-probe HOW.

import CrashKit
import Dispatch
import Glibc

final class Order {
  var number = 7
}

nonisolated(unsafe) var kept = Unmanaged.passRetained(Order())

@inline(never) func keepOrder() {
  kept = .passRetained(Order())  // It is allocated here.
}

@inline(never) func dropOrder() {
  kept.release()  // It is released here.
  print("released")
}

@inline(never) func useOrder() -> Int {
  kept._withUnsafeGuaranteedRef { $0.number } + 1  // It is used here.
}

/// Texts and lists that grow, on several threads at once.
func work() -> Int {
  @Sendable func lengths(_ seed: Int) -> Int {
    (0..<2000).map { String(repeating: "x", count: ($0 * seed) % 300) }.reduce(into: [String: Int]()) { counts, text in
      counts[text, default: 0] += text.utf8.count
    }.values.reduce(0, +)
  }
  nonisolated(unsafe) let sums = UnsafeMutablePointer<Int>.allocate(capacity: 4)
  DispatchQueue.concurrentPerform(iterations: 4) { sums[$0] = lengths($0 + 1) }
  defer { sums.deallocate() }
  return (0..<4).reduce(0) { $0 + sums[$1] }
}

let how = CommandLine.arguments.last
if how != "alone" { try CrashKit.install() }
switch how {
case "works":
  print(work())
case "twice":
  let bytes = UnsafeMutableRawPointer.allocate(byteCount: 40, alignment: 16)
  free(bytes)
  free(bytes)
default:
  keepOrder()
  dropOrder()
  print(useOrder())
}
