// A program of Swift that breaks one rule of locks, or none, as its argument says. It ends with 0, or hangs where a lock
// is taken twice, or dies where it is to crash.

import CThreadGuard
import CrashKit
import Dispatch
import Foundation
import Synchronization
import ThreadGuard

/// Runs each on a thread of its own, one after the other.
func inTurn(_ bodies: (@Sendable () -> Void)...) {
  for body in bodies {
    let ended = DispatchSemaphore(value: 0)
    Thread {
      body()
      ended.signal()
    }.start()
    ended.wait()
  }
}

let first = ThreadGuard.GuardedLock("first")
let second = ThreadGuard.GuardedLock("second")
let plain = NSLock()
let balance = ThreadGuard.GuardedMutex("balance", 0)
/// Of which ThreadGuard sees the waits alone.
let unobserved = Mutex(0)
let readers = ThreadGuard.GuardedRWLock("readers")
let queue = DispatchQueue(label: "worker")

struct Failure: Error {}

func expect(_ condition: Bool, _ line: Int = #line) {
  guard !condition else { return }
  print("not as expected: line \(line)")
  exit(1)
}

/// Waits for a queue within another's work, once the other thread is that far; both return values.
func answer(
  from first: DispatchQueue, _ begun: DispatchSemaphore, _ others: DispatchSemaphore, then second: DispatchQueue
) -> Int {
  first.sync {
    begun.signal()
    others.wait()
    return second.sync { Int.random(in: 0...9) }
  }
}

/// What no one but the tasks' own thread sees: the lock is held while the task sleeps.
func holdAcrossAwait() async {
  lockNow(plain)
  try? await Task.sleep(for: .seconds(30))
}

func lockNow(_ lock: NSLock) { lock.lock() }
func unlockNow(_ lock: NSLock) { lock.unlock() }

/// Waits, without a lock or the Swift runtime, until ThreadGuard has said something on standard error, which the test has
/// redirected to a file: what is told meanwhile no thread of the program has seen.
func waitUntilTold() {
  var status = stat()
  repeat {
    sched_yield()
    fstat(2, &status)
  } while status.st_size == 0
}

/// Whether the kernel has put a thread to sleep; false for thread 0.
func isAsleep(_ thread: Int32) -> Bool {
  let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
  return status?.contains(") S ") == true
}

func lockInManyTasks() async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<20 {
      group.addTask {
        for round in 0..<10_000 {
          balance.withLock { $0 += 1 }
          if round % 100 == 0 { await Task.yield() }
        }
      }
    }
  }
  expect(balance.withLock { $0 } == 200_000)
}

/// How many boundaries of noise this thread comes by. The first time the Swift runtime may take locks of its own.
func boundaries(of body: () -> Void) -> UInt64 {
  body()
  let before = ctg_perturbed_thread().steps
  body()
  return ctg_perturbed_thread().steps - before
}

func countBoundaries() {
  let isFixed = ProcessInfo.processInfo.environment["THREADGUARD_OPTIONS"] == "perturb=9"
  expect(boundaries { first.withLock {} } == (isFixed ? 2 : 0))
  ThreadGuard.perturb(seed: 9)
  expect(boundaries { first.withLock {} } == 2)
  if !isFixed {
    let digests = (0..<2).map { _ in
      ThreadGuard.perturb(seed: 10)
      first.withLock {}
      return ctg_perturbed_thread().digest
    }
    expect(digests[0] == digests[1] && digests[0] != 0)
  }
  expect(boundaries { balance.withLock { $0 += 1 } } == 2)
  expect(boundaries { readers.withReadLock {} } == 2 && boundaries { readers.withWriteLock {} } == 2)
  expect(boundaries { if first.try() { first.unlock() } } == 2)
  let value = ThreadGuard.GuardedValue(wrappedValue: 1)
  let (read, written) = (boundaries { _ = value.wrappedValue }, boundaries { value.wrappedValue = 2 })
  expect(read == 2 && written == 2)
  expect(boundaries { queue.guardedSync {} } == 2)
  let semaphore = DispatchSemaphore(value: 0)
  expect(boundaries { semaphore.signal() } == 1 && boundaries { semaphore.wait() } == 1)
  let began = Atomic<UInt64>(0)
  queue.async { began.store(ctg_perturbed_thread().steps, ordering: .relaxed) }
  queue.guardedSync {}
  expect(began.load(ordering: .relaxed) > 0)
  ThreadGuard.perturb(seed: nil)
  expect(boundaries { first.withLock {} } == (isFixed ? 2 : 0))
}

func runWithoutTasks(_ scenario: String?) throws {
  switch scenario {
  case "inversion":
    inTurn({ first.withLock { second.withLock {} } }, { second.withLock { first.withLock {} } })
  case "same-order":
    inTurn({ first.withLock { second.withLock {} } }, { first.withLock { second.withLock {} } })
  case "against-nslock":
    inTurn({ balance.withLock { _ in plain.withLock {} } }, { plain.withLock { balance.withLock { $0 += 1 } } })
  case "same-class":
    let other = ThreadGuard.GuardedLock("first")
    first.withLock { other.withLock {} }
  case "classes":
    let pairs = (0..<2).map { _ in (ThreadGuard.GuardedLock("account"), ThreadGuard.GuardedLock("journal")) }
    inTurn(
      { pairs[0].0.withLock { pairs[0].1.withLock {} } }, { pairs[1].1.withLock { pairs[1].0.withLock {} } })
  case "twice":
    first.lock()
    first.lock()
  case "unlocked-elsewhere":
    first.lock()
    inTurn({ first.unlock() })
  case "try":
    expect(first.try() && first.isHeldByCurrentThread == true)
    inTurn({
      expect(!first.try() && first.isHeldByCurrentThread == false)
      expect(balance.withLockIfAvailable { $0 } == 0)
    })
    balance.withLock { _ in inTurn({ expect(balance.withLockIfAvailable { $0 } == nil) }) }
    first.unlock()
    inTurn({ first.withLock { if second.try() { second.unlock() } } }, { second.withLock { first.withLock {} } })
  case "throws":
    do {
      try balance.withLock { value throws(Failure) in
        value = 7
        throw Failure()
      }
    } catch { expect(balance.withLock { $0 } == 7) }
    do { try queue.guardedSync { throw Failure() } } catch { expect(queue.guardedSync { 3 } == 3) }
  case "readers":
    readers.withReadLock { readers.withReadLock { inTurn({ readers.withReadLock {} }) } }
    inTurn(
      { readers.withReadLock { first.withLock {} } }, { readers.withReadLock { first.withLock {} } })
  case "writer":
    inTurn({ readers.withWriteLock { first.withLock {} } }, { first.withLock { readers.withReadLock {} } })
  case "guarded-sync":
    inTurn({ queue.guardedSync { first.withLock {} } }, { first.withLock { queue.guardedSync {} } })
  case "noise": countBoundaries()
  case "held-long":
    // The other lock is held most of the time, but never for long.
    let isTold = Atomic(false)
    let ended = DispatchSemaphore(value: 0)
    Thread {
      while !isTold.load(ordering: .relaxed) {
        first.withLock {
          // By the clock: on a busy machine, who yields waits for many.
          let end = DispatchTime.now() + .milliseconds(1)
          while DispatchTime.now() < end {}
        }
      }
      ended.signal()
    }.start()
    second.withLock { waitUntilTold() }
    isTold.store(true, ordering: .relaxed)
    ended.wait()
  case "waits-long":
    let ended = DispatchSemaphore(value: 0)
    second.lock()
    Thread {
      second.withLock {}
      ended.signal()
    }.start()
    waitUntilTold()
    second.unlock()
    ended.wait()
  case "queue-waits-long":
    let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    queue.async {
      began.signal()
      waitUntilTold()
    }
    began.wait()
    queue.guardedSync { _ = ended.signal() }
    ended.wait()
  case "deadlock-with-mutex":
    let lockHeld = DispatchSemaphore(value: 0)
    let mutexHeld = DispatchSemaphore(value: 0)
    Thread {
      plain.withLock {
        lockHeld.signal()
        mutexHeld.wait()
        unobserved.withLock { $0 += 1 }
      }
    }.start()
    lockHeld.wait()
    unobserved.withLock { _ in
      mutexHeld.signal()
      plain.withLock {}
    }
  case "deadlock-of-queues":
    let other = DispatchQueue(label: "other")
    let (begun, otherBegun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread { _ = answer(from: queue, begun, otherBegun, then: other) }.start()
    _ = answer(from: other, otherBegun, begun, then: queue)
  case "crash", "crash-unlinked":
    if scenario == "crash" { try CrashKit.install(.init()) }
    plain.lock()
    first.lock()
    let waiter = Atomic<Int32>(0)
    Thread {
      balance.withLock { _ in
        waiter.store(ctg_current_thread_id(), ordering: .releasing)
        first.withLock {}
      }
    }.start()
    while !isAsleep(waiter.load(ordering: .acquiring)) { sched_yield() }
    abort()
  default: exit(64)
  }
}

switch CommandLine.arguments.dropFirst().first {
case "across-await":
  let holder = Task.detached { await holdAcrossAwait() }
  waitUntilTold()
  holder.cancel()
case "task-ends":
  await Task.detached { lockNow(plain) }.value
  waitUntilTold()
case "many-tasks": await lockInManyTasks()
case let scenario: try runWithoutTasks(scenario)
}
