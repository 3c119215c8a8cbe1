// Foundation's locks.

import Foundation
import Synchronization

private func both(_ first: any NSLocking, _ second: any NSLocking) {
  first.lock()
  second.lock()
  second.unlock()
  first.unlock()
}

/// Two locks of one kind, in both orders.
private func inversion<Lock: NSLocking & Sendable>(_ make: @Sendable () -> Lock) {
  let a = make()
  let b = make()
  inTurn({ both(a, b) }, { both(b, a) })
}

private final class Account: Sendable {
  let lock = NSLock()
}

private let neverFreed = NSLock()

private final class Counter: Sendable {
  let value = Mutex(0)
}

/// Two threads, each of which has what the other then waits for.
private func circle(
  _ first: @escaping @Sendable (() -> Void) -> Void, _ second: @escaping @Sendable (() -> Void) -> Void
) {
  let firstHeld = Event()
  let secondHeld = Event()
  together(
    {
      first {
        firstHeld.signal()
        secondHeld.await()
        second {}
      }
    },
    {
      second {
        secondHeld.signal()
        firstHeld.await()
        first {}
      }
    })
}

let lockScenarios = [
  Scenario("nslock-inversion") { inversion { NSLock() } },
  Scenario("nsrecursivelock-inversion") { inversion { NSRecursiveLock() } },
  Scenario("nscondition-inversion") { inversion { NSCondition() } },
  Scenario("nslock-mutex-deadlock") {
    let lock = NSLock()
    let counter = Counter()
    circle({ body in lock.withLock { body() } }, { body in counter.value.withLock { _ in body() } })
  },
  Scenario("queue-mutex-deadlock") {
    let queue = DispatchQueue(label: "a")
    let counter = Counter()
    circle({ body in queue.sync { body() } }, { body in counter.value.withLock { _ in body() } })
  },
  Scenario("mutex-circle") {
    let a = Counter()
    let b = Counter()
    circle({ body in a.value.withLock { _ in body() } }, { body in b.value.withLock { _ in body() } })
  },
  Scenario("mutex-contended-under-a-lock") {
    let lock = NSLock()
    let counter = Counter()
    let held = Event()
    together(
      {
        counter.value.withLock { _ in
          held.signal()
          usleep(700_000)
        }
      },
      {
        held.await()
        lock.withLock { counter.value.withLock { $0 += 1 } }
      },
      {
        usleep(50_000)
        lock.withLock {}
      })
  },
  Scenario("mutex-and-lock-in-turn") {
    let lock = NSLock()
    let counter = Counter()
    let turns: @Sendable () -> Void = {
      for turn in 0..<20_000 {
        counter.value.withLock { $0 += turn }
        lock.withLock { counter.value.withLock { $0 -= turn } }
      }
    }
    together(turns, turns)
  },
  Scenario("nslock-same-order") {
    let a = NSLock()
    let b = NSLock()
    inTurn({ both(a, b) }, { both(a, b) })
  },
  Scenario("nsrecursivelock-again") {
    let lock = NSRecursiveLock()
    let other = NSLock()
    inTurn(
      {
        lock.lock()
        both(lock, other)
        lock.unlock()
      },
      {
        lock.lock()
        both(other, lock)
        lock.unlock()
      })
  },
  Scenario("nslock-try-second") {
    let a = NSLock()
    let b = NSLock()
    inTurn(
      { both(a, b) },
      {
        b.lock()
        if a.try() { a.unlock() }
        b.unlock()
      })
  },
  Scenario("nslock-double-unlock") {
    let lock = NSLock()
    lock.lock()
    lock.unlock()
    lock.unlock()
  },
  Scenario("nslock-unlock-by-another-thread") {
    let lock = NSLock()
    inTurn({ lock.lock() }, { lock.unlock() })
  },
  Scenario("nslock-thread-ends-holding") {
    inTurn({ neverFreed.lock() })
  },
  Scenario("nslock-freed-while-locked") {
    let account = Account()
    account.lock.lock()
  },
  Scenario("nscondition-wait") {
    let condition = NSCondition()
    nonisolated(unsafe) var ready = false
    together(
      {
        condition.lock()
        while !ready { condition.wait() }
        condition.unlock()
      },
      {
        condition.lock()
        ready = true
        condition.signal()
        condition.unlock()
      })
  },
  Scenario("nscondition-wait-holding-another") {
    let condition = NSCondition()
    let other = NSLock()
    nonisolated(unsafe) var ready = false
    nonisolated(unsafe) var waits = false
    together(
      {
        other.lock()
        condition.lock()
        waits = true
        while !ready { condition.wait() }
        condition.unlock()
        other.unlock()
      },
      {
        condition.lock()
        while !waits {
          condition.unlock()
          sched_yield()
          condition.lock()
        }
        ready = true
        condition.signal()
        condition.unlock()
      })
  },
  Scenario("operation-queue") {
    let queue = OperationQueue()
    let lock = NSLock()
    nonisolated(unsafe) var sum = 0
    for number in 1...100 {
      queue.addOperation { lock.withLock { sum += number } }
    }
    queue.waitUntilAllOperationsAreFinished()
    precondition(sum == 5050)
  },
  Scenario("nslock-self-deadlock") {
    let lock = NSLock()
    lock.withLock { lock.withLock {} }
  },
  Scenario("nslock-deadlock-of-two-threads") {
    let a = NSLock()
    let b = NSLock()
    let aHeld = Event()
    let bHeld = Event()
    together(
      {
        a.lock()
        aHeld.signal()
        bHeld.await()
        b.lock()
      },
      {
        b.lock()
        bHeld.signal()
        aHeld.await()
        a.lock()
      })
  },
]
