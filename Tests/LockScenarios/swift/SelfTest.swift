// The cases of a kernel's lock validator that user space can have, in Swift: the rows of ../c/self_test.c, with the same
// names. An order is a list of a way of taking and a lock, such as "mA rB", released in reverse at its end.

import Foundation

private enum Kind: Sendable { case spinlock, mutex, rwlock, writerPreferring }

/// A lock of the C library's that does not move.
private final class Lock: @unchecked Sendable {
  private let kind: Kind
  private let spin = UnsafeMutablePointer<pthread_spinlock_t>.allocate(capacity: 1)
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let rwlock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init(_ kind: Kind, class name: String) {
    self.kind = kind
    make()
    // There when ThreadGuard is.
    if let function = dlsym(nil, "threadguard_name_lock") {
      typealias NameLock = @convention(c) (UnsafeRawPointer, UnsafePointer<CChar>) -> Void
      unsafeBitCast(function, to: NameLock.self)(address, name)
    }
  }

  private var address: UnsafeRawPointer {
    switch kind {
    case .spinlock: UnsafeRawPointer(spin)
    case .mutex: UnsafeRawPointer(mutex)
    case .rwlock, .writerPreferring: UnsafeRawPointer(rwlock)
    }
  }

  func make() {
    switch kind {
    case .spinlock: must(pthread_spin_init(spin, Int32(PTHREAD_PROCESS_PRIVATE)))
    case .mutex: must(pthread_mutex_init(mutex, nil))
    case .rwlock: must(pthread_rwlock_init(rwlock, nil))
    case .writerPreferring:
      var attributes = pthread_rwlockattr_t()
      must(pthread_rwlockattr_init(&attributes))
      must(pthread_rwlockattr_setkind_np(&attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)))
      must(pthread_rwlock_init(rwlock, &attributes))
    }
  }

  /// Whether the thread has it now: glibc refuses a lock for reading to the thread that has it for writing.
  func take(_ mode: Character) -> Bool {
    switch kind {
    case .spinlock: must(pthread_spin_lock(spin))
    case .mutex: must(pthread_mutex_lock(mutex))
    case .rwlock, .writerPreferring:
      let error = mode == "r" ? pthread_rwlock_rdlock(rwlock) : pthread_rwlock_wrlock(rwlock)
      if error == EDEADLK { return false }
      must(error)
    }
    return true
  }

  func release() {
    switch kind {
    case .spinlock: must(pthread_spin_unlock(spin))
    case .mutex: must(pthread_mutex_unlock(mutex))
    case .rwlock, .writerPreferring: must(pthread_rwlock_unlock(rwlock))
    }
  }

  private func must(_ error: Int32) {
    guard error == 0 else { fatalError(String(cString: strerror(error))) }
  }
}

/// The locks of a case: A to D are taken by `m` or the row's own mode, X to Z by `w` and `r`; U is a second one of X's
/// class.
private struct Locks {
  private let byName: [Character: Lock]

  init(_ first: Kind, _ second: Kind) {
    var locks: [Character: Lock] = ["U": Lock(second, class: "X")]
    for name in "ABCD" { locks[name] = Lock(first, class: String(name)) }
    for name in "XYZ" { locks[name] = Lock(second, class: String(name)) }
    byName = locks
  }

  subscript(name: Character) -> Lock { byName[name]! }

  func run(_ orders: String, mode: Character = "m") {
    for order in orders.split(separator: " ") {
      let words = Array(order)
      var held: [Lock] = []
      for start in stride(from: 0, to: words.count, by: 2) {
        let lock = self[words[start + 1]]
        if lock.take(words[start] == "*" ? mode : words[start]) { held.append(lock) }
      }
      for lock in held.reversed() { lock.release() }
    }
  }
}

private let columns: [(name: String, mode: Character, kind: Kind)] = [
  ("spinlock", "m", .spinlock), ("write", "w", .rwlock), ("read", "r", .rwlock), ("mutex", "m", .mutex),
  ("write-of-writer-preferring", "w", .writerPreferring), ("read-of-writer-preferring", "r", .writerPreferring),
]

private let simpleRows: [(String, String)] = [
  ("aa", "*X*U"),
  ("abba", "*A*B *B*A"),
  ("abbcca", "*A*B *B*C *C*A"),
  ("abcabc", "*A*B *C*A *B*C"),
  ("abbccdda", "*A*B *B*C *C*D *D*A"),
  ("abcdbdda", "*A*B *C*D *B*D *D*A"),
  ("abcdbcda", "*A*B *C*D *B*C *D*A"),
]

private let mixedRows: [(String, String)] = [
  ("recursive-read", "rXrX"),
  ("recursive-read-of-a-class", "rXrU"),
  ("read-then-write", "rXwX"),
  ("write-then-read", "wXrX"),
  ("read-lock-lock-write", "rXmA mAwX"),
  ("read-lock-lock-read", "rXmA mArX"),
  ("write-lock-lock-write", "wXmA mAwX"),
]

private let threeLockRows: [(String, [String])] = [
  ("w1r2-w2r3-w3r1", ["wXrY", "wYrZ", "wZrX"]),
  ("w1w2-r2r3-w3r1", ["wXwY", "rYrZ", "wZrX"]),
  ("w1w2-r2r3-r3w1", ["wXwY", "rYrZ", "rZwX"]),
  ("w1r2-r2r3-w3w1", ["wXrY", "rYrZ", "wZwX"]),
]

let selfTestScenarios: [Scenario] = {
  var result: [Scenario] = []
  func add(_ name: String, _ run: @escaping @Sendable () -> Void) { result.append(Scenario("self-test/" + name, run)) }
  for column in columns {
    let (kind, mode) = (column.kind, column.mode)
    for (row, orders) in simpleRows {
      add("\(row)-\(column.name)") { Locks(kind, kind).run(orders, mode: mode) }
    }
    add("double-unlock-\(column.name)") {
      let lock = Locks(kind, kind)["A"]
      _ = lock.take(mode)
      lock.release()
      lock.release()
    }
    add("initialised-while-held-\(column.name)") {
      let lock = Locks(kind, kind)["A"]
      _ = lock.take(mode)
      lock.make()
    }
  }
  for (row, orders) in mixedRows {
    add(row) { Locks(.mutex, .rwlock).run(orders) }
    add("\(row)-of-writer-preferring") { Locks(.mutex, .writerPreferring).run(orders) }
  }
  add("chain-cached-read-lock-lock-write") { Locks(.mutex, .rwlock).run("rXmA mArX mAwX") }
  for (row, parts) in threeLockRows {
    for permutation in ["123", "132", "213", "231", "312", "321"] {
      let orders = permutation.map { parts[$0.wholeNumberValue! - 1] }.joined(separator: " ")
      add("\(row)-\(permutation)") { Locks(.mutex, .rwlock).run(orders) }
    }
  }
  return result
}()
