// As lines.c, with the locks that Swift programs use.

import Foundation
import Glibc

final class Pair<Lock> {
  let a: Lock
  let b: Lock
  init(_ make: () -> Lock) {
    a = make()
    b = make()
  }
}

nonisolated(unsafe) var count = 0
@inline(never) func work() { count += 1 }

// --- NSLock, with a call on the next line

@inline(never) func plainAB(_ locks: Pair<NSLock>) {
  locks.a.lock()  // plain: A first
  work()
  locks.b.lock()  // plain: B second
  work()
  locks.b.unlock()
  locks.a.unlock()
}

@inline(never) func plainBA(_ locks: Pair<NSLock>) {
  locks.b.lock()  // plain: B first
  work()
  locks.a.lock()  // plain: A second
  work()
  locks.a.unlock()
  locks.b.unlock()
}

// --- The next lock on the next line, unlocked by defer

@inline(never) func deferredAB(_ locks: Pair<NSRecursiveLock>) {
  locks.a.lock()  // deferred: A first
  defer { locks.a.unlock() }
  locks.b.lock()  // deferred: B second
  defer { locks.b.unlock() }
  work()
}

@inline(never) func deferredBA(_ locks: Pair<NSRecursiveLock>) {
  locks.b.lock()  // deferred: B first
  defer { locks.b.unlock() }
  locks.a.lock()  // deferred: A second
  defer { locks.a.unlock() }
  work()
}

// --- withLock, which is inlined in optimised code, with a closure

@inline(never) func closuresAB(_ locks: Pair<NSLock>) {
  locks.a.withLock {  // closures: A first
    count += 2
    locks.b.withLock {  // closures: B second
      work()
    }
  }
}

@inline(never) func closuresBA(_ locks: Pair<NSLock>) {
  locks.b.withLock {  // closures: B first
    count += 2
    locks.a.withLock {  // closures: A second
      work()
    }
  }
}

// --- The last call of a function

@inline(never) func takeLast(_ lock: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 {
  pthread_mutex_lock(lock)  // tail-call: A first maybe, B second maybe, B first maybe, A second maybe
}

@inline(never) func tailCallAB(_ locks: Pair<UnsafeMutablePointer<pthread_mutex_t>>) {
  _ = takeLast(locks.a)  // tail-call: A first
  work()
  _ = takeLast(locks.b)  // tail-call: B second
  work()
  pthread_mutex_unlock(locks.b)
  pthread_mutex_unlock(locks.a)
}

@inline(never) func tailCallBA(_ locks: Pair<UnsafeMutablePointer<pthread_mutex_t>>) {
  _ = takeLast(locks.b)  // tail-call: B first
  work()
  _ = takeLast(locks.a)  // tail-call: A second
  work()
  pthread_mutex_unlock(locks.a)
  pthread_mutex_unlock(locks.b)
}

func makeMutex() -> UnsafeMutablePointer<pthread_mutex_t> {
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  pthread_mutex_init(mutex, nil)
  return mutex
}

@main
struct Main {
  static func main() {
    switch CommandLine.arguments.dropFirst().first {
    case "plain":
      let locks = Pair { NSLock() }
      plainAB(locks)
      plainBA(locks)
    case "deferred":
      let locks = Pair { NSRecursiveLock() }
      deferredAB(locks)
      deferredBA(locks)
    case "closures":
      let locks = Pair { NSLock() }
      closuresAB(locks)
      closuresBA(locks)
    case "tail-call":
      let locks = Pair(makeMutex)
      tailCallAB(locks)
      tailCallBA(locks)
    default:
      exit(64)
    }
  }
}
