// Locks in tasks: a task may go on, after an await, on another thread than before.

import Foundation

/// What the compiler does not let an asynchronous function do itself, but nothing keeps it from calling.
private struct Session: Sendable {
  private let lock = NSLock()

  func begin() { lock.lock() }
  func end() { lock.unlock() }
}

private actor Counter {
  private let lock = NSLock()
  private var count = 0

  func increment() { lock.withLock { count += 1 } }
  func value() -> Int { lock.withLock { count } }
}

private func work(under session: Session) async {
  session.begin()
  try? await Task.sleep(for: .milliseconds(20))
  session.end()
}

let taskScenarios = [
  Scenario(inTask: "lock-across-await") {
    let session = Session()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await work(under: session) }
      // Others, so that the thread that holds the lock gets other jobs.
      for _ in 1...8 { group.addTask { for _ in 1...50 { await Task.yield() } } }
    }
  },
  // It is given back on the thread that took it, more often than not.
  Scenario(inTask: "lock-across-yield") {
    let session = Session()
    session.begin()
    await Task.yield()
    session.end()
  },
  Scenario(inTask: "lock-between-awaits") {
    let session = Session()
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...8 {
        group.addTask {
          for _ in 1...50 {
            await Task.yield()
            session.begin()
            session.end()
            await Task.yield()
          }
        }
      }
    }
  },
  Scenario(inTask: "lock-in-an-actor") {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...100 { group.addTask { await counter.increment() } }
    }
    let count = await counter.value()
    precondition(count == 100)
  },
]
