import CLocks
import Dispatch
import Foundation

/// Prints all rows: those of C, and what Swift programs use.
public func printLockRows() {
  let size = locks_size_of(CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "full")
  locks_run(size)
  let lock = NSLock()
  printRow("nslock", size) {
    lock.lock()
    lock.unlock()
  }
  let queue = DispatchQueue(label: "benchmark")
  var count = 0
  printRow("queue.sync", size) { queue.sync { count += 1 } }
}

@inline(__always)
private func printRow(_ name: String, _ size: locks_size, _ body: () -> Void) {
  var best = Double.infinity
  for _ in 0..<size.rounds {
    let begun = locks_now()
    for _ in 0..<size.pairs { body() }
    best = min(best, (locks_now() - begun) / Double(size.pairs))
  }
  locks_print(name, best)
}
