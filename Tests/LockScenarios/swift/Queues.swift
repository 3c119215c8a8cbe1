// Dispatch queues, groups and semaphores. A serial queue is held by whatever runs on it.

import Dispatch
import Foundation

private func queue(_ name: String) -> DispatchQueue { DispatchQueue(label: name) }

/// A cache that guards its entries by a queue, and clears them as it goes.
private final class Cache: @unchecked Sendable {
  let queue: DispatchQueue
  private var entries = [1: "one"]

  init(_ queue: DispatchQueue) { self.queue = queue }

  deinit { queue.sync { entries.removeAll() } }
}

/// Lets a reference go on the queue.
private final class Owner: @unchecked Sendable {
  var cache: Cache?

  init(_ cache: Cache) { self.cache = cache }
}

/// Makes so many queues, groups and semaphores, uses each once and lets them go.
private func churn(_ count: Int) {
  for round in 0..<100 {
    let queues = (0..<count / 100).map { queue("\(round).\($0)") }
    let groups = queues.map { _ in DispatchGroup() }
    let semaphores = queues.map { _ in DispatchSemaphore(value: 0) }
    for (queue, (group, semaphore)) in zip(queues, zip(groups, semaphores)) {
      queue.sync {}
      group.enter()
      group.leave()
      group.wait()
      semaphore.signal()
      semaphore.wait()
    }
  }
}

let queueScenarios = [
  Scenario("queue-inversion") {
    let a = queue("a")
    let b = queue("b")
    inTurn({ a.sync { b.sync {} } }, { b.sync { a.sync {} } })
  },
  // More of each kind than any table of counts has places.
  Scenario("queue-inversion-beside-churn") {
    let a = queue("a")
    let b = queue("b")
    inTurn({ a.sync { b.sync {} } }, { churn(100_000) }, { b.sync { a.sync {} } })
  },
  Scenario("queue-cycle-of-three") {
    let a = queue("a")
    let b = queue("b")
    let c = queue("c")
    inTurn({ a.sync { b.sync {} } }, { b.sync { c.sync {} } }, { c.sync { a.sync {} } })
  },
  // The main thread runs what is given to its queue, below its run loop.
  Scenario("main-queue-inversion") {
    let a = queue("a")
    DispatchQueue.main.async {
      a.sync {}
      a.async {
        DispatchQueue.main.sync {}
        DispatchQueue.main.async { exit(0) }
      }
    }
    RunLoop.main.run()
  },
  Scenario("main-queue-same-order") {
    let a = queue("a")
    DispatchQueue.main.async { a.sync {} }
    DispatchQueue.global().async {
      DispatchQueue.main.sync { a.sync {} }
      DispatchQueue.main.async { exit(0) }
    }
    RunLoop.main.run()
  },
  Scenario("queue-same-order") {
    let a = queue("a")
    let b = queue("b")
    inTurn({ a.sync { b.sync {} } }, { a.sync { b.sync {} } })
  },
  Scenario("queue-gate") {
    let gate = queue("gate")
    let a = queue("a")
    let b = queue("b")
    inTurn({ gate.sync { a.sync { b.sync {} } } }, { gate.sync { b.sync { a.sync {} } } })
  },
  Scenario("queue-and-lock") {
    let a = queue("a")
    let lock = NSLock()
    inTurn({ a.sync { lock.withLock {} } }, { lock.withLock { a.sync {} } })
  },
  // The work that was handed over holds the queue too.
  Scenario("queue-inversion-of-asynchronous-work") {
    let a = queue("a")
    let b = queue("b")
    let done = Event()
    a.async {
      b.sync {}
      done.signal()
    }
    done.await()
    b.async {
      a.sync {}
      done.signal()
    }
    done.await()
  },
  // Handing over waits for nobody.
  Scenario("queue-asynchronous-both-ways") {
    let a = queue("a")
    let b = queue("b")
    let done = Event()
    a.async { b.async { done.signal() } }
    b.async { a.async { done.signal() } }
    done.await()
    done.await()
  },
  Scenario("queue-lock-and-asynchronous-work") {
    let a = queue("a")
    let lock = NSLock()
    let done = Event()
    a.sync { lock.withLock {} }
    lock.withLock { a.async { lock.withLock { done.signal() } } }
    done.await()
  },
  Scenario("queue-barriers") {
    let a = DispatchQueue(label: "a", attributes: .concurrent)
    let b = DispatchQueue(label: "b", attributes: .concurrent)
    inTurn(
      { a.sync(flags: .barrier) { b.sync(flags: .barrier) {} } },
      { b.sync(flags: .barrier) { a.sync(flags: .barrier) {} } })
  },
  Scenario("queue-barrier-against-lock") {
    let a = DispatchQueue(label: "a", attributes: .concurrent)
    let lock = NSLock()
    inTurn({ a.sync(flags: .barrier) { lock.withLock {} } }, { lock.withLock { a.sync {} } })
  },
  Scenario("queue-concurrent-same-order") {
    let a = DispatchQueue(label: "a", attributes: .concurrent)
    let b = DispatchQueue(label: "b", attributes: .concurrent)
    inTurn({ a.sync { b.sync(flags: .barrier) {} } }, { a.sync { b.sync {} } })
  },
  Scenario("queue-sync-onto-global") {
    let a = queue("a")
    inTurn({ a.sync { DispatchQueue.global().sync {} } }, { DispatchQueue.global().sync { a.sync {} } })
  },
  Scenario("queue-concurrent-perform") {
    let a = queue("a")
    nonisolated(unsafe) var sum = 0
    DispatchQueue.concurrentPerform(iterations: 100) { number in a.sync { sum += number } }
    precondition(a.sync { sum } == 4950)
  },
  Scenario("deinit-sync-elsewhere") {
    let a = queue("a")
    let owner = Owner(Cache(queue("cache")))
    a.sync { owner.cache = nil }
  },
  Scenario("semaphore-inversion") {
    let semaphore = DispatchSemaphore(value: 1)
    let lock = NSLock()
    inTurn(
      {
        semaphore.wait()
        lock.withLock {}
        semaphore.signal()
      },
      {
        lock.withLock {
          semaphore.wait()
          semaphore.signal()
        }
      })
  },
  Scenario("semaphore-as-a-limit") {
    let semaphore = DispatchSemaphore(value: 2)
    let group = DispatchGroup()
    for _ in 1...20 {
      semaphore.wait()
      DispatchQueue.global().async(group: group) { semaphore.signal() }
    }
    group.wait()
  },
  Scenario("group-wait") {
    let group = DispatchGroup()
    let lock = NSLock()
    for _ in 1...20 { DispatchQueue.global().async(group: group) { lock.withLock {} } }
    group.wait()
    lock.withLock {}
  },
  Scenario("group-wait-and-work-in-one-order") {
    let group = DispatchGroup()
    let outer = NSLock()
    let inner = NSLock()
    for _ in 1...20 { DispatchQueue.global().async(group: group) { inner.withLock {} } }
    outer.withLock { group.wait() }
    inner.withLock {}
  },
  // Nobody hangs, for the work is through before the lock is taken.
  Scenario("group-wait-under-a-lock-of-its-work") {
    let group = DispatchGroup()
    let lock = NSLock()
    let done = Event()
    DispatchQueue.global().async(group: group) {
      lock.withLock {}
      done.signal()
    }
    done.await()
    lock.withLock { group.wait() }
  },
  Scenario("group-left-under-a-lock-of-the-waiter") {
    let group = DispatchGroup()
    let lock = NSLock()
    group.enter()
    inTurn(
      {
        lock.lock()
        group.leave()
        lock.unlock()
      }, { lock.withLock { group.wait() } })
  },
  Scenario("group-wait-with-a-limit") {
    let group = DispatchGroup()
    let lock = NSLock()
    lock.withLock {
      DispatchQueue.global().async(group: group) { lock.withLock {} }
      _ = group.wait(timeout: .now() + .milliseconds(20))
    }
    group.wait()
  },
  Scenario("group-notify-under-a-lock") {
    let group = DispatchGroup()
    let lock = NSLock()
    let done = Event()
    lock.withLock {
      DispatchQueue.global().async(group: group) { lock.withLock {} }
      group.notify(queue: .global()) { lock.withLock { done.signal() } }
    }
    done.await()
  },
  // None of the following returns: the first four are ended by Dispatch itself, without a word.
  Scenario("sync-onto-own-queue") {
    let a = queue("a")
    a.sync { a.sync {} }
  },
  Scenario("sync-a-b-a") {
    let a = queue("a")
    let b = queue("b")
    a.sync { b.sync { a.sync {} } }
  },
  Scenario("sync-onto-own-queue-of-asynchronous-work") {
    let a = queue("a")
    let done = Event()
    a.async {
      a.sync {}
      done.signal()
    }
    done.await()
  },
  Scenario("deinit-sync-on-own-queue") {
    let a = queue("cache")
    let owner = Owner(Cache(a))
    a.sync { owner.cache = nil }
  },
  Scenario("deadlock-of-two-queues") {
    let a = queue("a")
    let b = queue("b")
    let aHeld = Event()
    let bHeld = Event()
    together(
      {
        a.sync {
          aHeld.signal()
          bHeld.await()
          b.sync {}
        }
      },
      {
        b.sync {
          bHeld.signal()
          aHeld.await()
          a.sync {}
        }
      })
  },
  Scenario("deadlock-of-queue-and-lock") {
    let a = queue("a")
    let lock = NSLock()
    let queueHeld = Event()
    let lockHeld = Event()
    together(
      {
        a.sync {
          queueHeld.signal()
          lockHeld.await()
          lock.withLock {}
        }
      },
      {
        lock.withLock {
          lockHeld.signal()
          queueHeld.await()
          a.sync {}
        }
      })
  },
  Scenario("group-wait-under-a-lock-its-work-needs") {
    let group = DispatchGroup()
    let lock = NSLock()
    lock.withLock {
      DispatchQueue.global().async(group: group) { lock.withLock {} }
      group.wait()
    }
  },
]
