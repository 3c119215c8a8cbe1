// A program whose Mutex ThreadGuard observes. It uses it in the usual ways, as its argument says.
//
// observed-mutex-probe inversion: two of them in both orders, uncontended; prints the lines at which they are locked
// observed-mutex-probe uses: prints what it made of each kind of use
// observed-mutex-probe again: a thread locks what it has
import Foundation
import ThreadGuardSynchronization

struct Refused: Error {}

struct Token: ~Copyable {
  let number: Int
}

final class Unshared {
  var number = 7
}

let total = Mutex(1)

final class Store: Sendable {
  static let shared = Store()
  let items = Mutex<[Int]>([])
  let unshared = Mutex<Unshared?>(Unshared())
}

actor Account {
  private let balance = Mutex(0)
  func add(_ amount: Int) -> Int {
    balance.withLock {
      $0 += amount
      return $0
    }
  }
}

struct Owner: ~Copyable {
  let text = Mutex("text")
  let uses = Atomic<Int>(0)
}

func limited(_ limit: Int) throws(Refused) -> Int {
  try total.withLock { value throws(Refused) -> Int in
    if value > limit { throw Refused() }
    return value
  }
}

func takeOut() -> sending Unshared? {
  Store.shared.unshared.withLock { kept in
    let unshared = kept
    kept = nil
    return unshared
  }
}

func token() -> Token { total.withLock { Token(number: $0) } }

func copy<Value: Sendable>(_ mutex: borrowing Mutex<Value>) -> Value { mutex.withLock { $0 } }

func useAll() async {
  Store.shared.items.withLock { $0.append(3) }
  let owner = Owner()
  owner.uses.add(1, ordering: .relaxed)
  let local = Mutex(Token(number: 4))
  local.withLock { $0 = Token(number: 5) }
  let refused: Bool
  do throws(Refused) {
    _ = try limited(0)
    refused = false
  } catch {
    refused = true
  }
  print((try? limited(5)) ?? -1, refused, Store.shared.items.withLock { $0.count }, takeOut()?.number ?? -1)
  print(token().number, owner.text.withLock { $0 }, owner.uses.load(ordering: .relaxed), local.withLock { $0.number })
  print(await Account().add(6), copy(total), total.withLockIfAvailable { $0 } ?? -1)
  let taken = total.withLock { _ in total.withLockIfAvailable { $0 } }
  print(taken.map { "\($0)" } ?? "taken")
}

let first = Mutex(0)
let second = Mutex(0)

func oneWay() {
  first.withLock { one in
    second.withLock { $0 += one }
  }
}

func otherWay() {
  second.withLock { one in
    first.withLock { $0 += one }
  }
}

/// Each on a thread of its own, one after the other.
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

switch CommandLine.arguments.dropFirst().first {
case "inversion": inTurn({ oneWay() }, { otherWay() })
case "uses": await useAll()
case "again": total.withLock { _ in total.withLock { print($0) } }
default: exit(64)
}
