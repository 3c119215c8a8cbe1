// Two classes that guard themselves well and call one another: one order of their locks on each side.
//
// Nothing happens when this runs: the two calls miss one another. `crashsym run --thread-guard -- lock-inversion` tells.

import Foundation

/// The sessions of a server.
final class SessionStore: @unchecked Sendable {
  private let lock = NSLock()
  private var sessions: [Int: Date] = [:]
  let usage: UsageMeter

  init(usage: UsageMeter) { self.usage = usage }

  var count: Int { lock.withLock { sessions.count } }

  func open(_ id: Int) {
    lock.lock()
    defer { lock.unlock() }
    sessions[id] = Date()
    // The meter's lock is taken under the store's.
    usage.record(opened: 1)
  }
}

/// Counts what the server does, and publishes it from time to time.
final class UsageMeter: @unchecked Sendable {
  private let lock = NSLock()
  private var opened = 0

  func record(opened number: Int) { lock.withLock { opened += number } }

  func publish(_ store: SessionStore) -> String {
    lock.lock()
    defer { lock.unlock() }
    // The mistake: here it is the other way round.
    return "\(opened) opened, \(store.count) open"
  }
}

/// Runs the work on a thread of its own, to its end.
func onThread(_ name: String, _ work: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Thread {
    try? name.write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
    work()
    ended.signal()
  }.start()
  ended.wait()
}

@main
struct Main {
  static func main() {
    let usage = UsageMeter()
    let store = SessionStore(usage: usage)
    onThread("requests") { for id in 1...3 { store.open(id) } }
    onThread("reporter") { print(usage.publish(store)) }
  }
}
