import CrashKit
import Foundation

/// Transfers between a bank's accounts. In the faulty variants, threads wait for each other forever.
public struct DeadlockWorkload: Workload {
  public static let name = "deadlock"
  public static let summary = "Transfers between a bank's accounts, each behind a lock"

  public static let variants = [
    Variant("correct", "The account with the smaller number is always locked first"),
    Variant(
      "opposite-orders", "Each transfer locks the paying account first, so two transfers in opposite directions hang",
      planted: [Plant("deadlock", at: Account.payPlaces)], ending: .hangs),
    Variant(
      "queues", "Two modules wait for each other's queues",
      planted: [Plant("deadlock", at: [Ledger.bookCall, Audit.checkCall])], ending: .hangs),
    Variant(
      "self", "A method holds a lock and calls another method that takes the same lock",
      planted: [Plant("deadlock", at: Statement.printPlaces)], ending: .hangs),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    CrashKit.record("the bank opens", category: "bank")
    switch variant.name {
    case "queues": await bookAndCheck(context)
    case "self": await onThread("statements") { Statement().printAll() }
    default: await transfer(context, inOrder: variant.isCorrect)
    }
    CrashKit.record("the bank closes", category: "bank")
  }

  private func transfer(_ context: WorkloadContext, inOrder: Bool) async {
    let accounts = (0..<2).map { Account(number: $0, balance: 1_000_000) }
    await withTaskGroup(of: Void.self) { group in
      for clerk in 0..<max(2, context.threads) {
        group.addTask {
          await onThread("clerk \(clerk)") {
            var random = context.random(for: clerk)
            while inOrder ? !context.isOver : true {
              let amount = Int.random(in: 1...9, using: &random)
              let payer = accounts[clerk % 2]
              let payee = accounts[1 - clerk % 2]
              if inOrder { payer.payInOrder(amount, to: payee) } else { payer.pay(amount, to: payee) }
            }
          }
        }
      }
    }
  }

  private func bookAndCheck(_ context: WorkloadContext) async {
    let ledger = Ledger()
    let audit = Audit()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await onThread("booking") { while true { ledger.book(1, audit) } } }
      group.addTask { await onThread("auditing") { while true { audit.check(ledger) } } }
    }
  }
}

/// An account, its balance behind a lock.
private final class Account: @unchecked Sendable {
  let number: Int
  private let lock = NSLock()
  private var balance: Int
  private var receipt = ""

  init(number: Int, balance: Int) {
    self.number = number
    self.balance = balance
  }

  static let payPlaces = [Place(below: 2), Place(below: 6)]
  func pay(_ amount: Int, to payee: Account) {
    lock.lock()
    defer { lock.unlock() }
    balance -= amount
    receipt = "\(amount) to account \(payee.number), \(balance) left"
    payee.lock.lock()
    payee.balance += amount
    payee.lock.unlock()
  }

  func payInOrder(_ amount: Int, to payee: Account) {
    let (first, second) = number < payee.number ? (self, payee) : (payee, self)
    first.lock.withLock {
      second.lock.withLock {
        balance -= amount
        payee.balance += amount
      }
    }
  }
}

/// All bookings, guarded by a queue. Each is shown to the audit.
private final class Ledger: @unchecked Sendable {
  private let queue = DispatchQueue(label: "bank.ledger")
  private var bookings: [Int] = []

  static let bookCall = Place(below: 4)
  func book(_ amount: Int, _ audit: Audit) {
    queue.sync {
      bookings.append(amount)
      audit.note(amount)
    }
  }

  func compare(with seen: Int) {
    queue.sync {
      if bookings.reduce(0, +) < seen { CrashKit.record("bookings are missing", category: "bank", level: .warning) }
    }
  }
}

/// What the auditors saw, guarded by a queue. Now and then they compare it with the ledger.
private final class Audit: @unchecked Sendable {
  private let queue = DispatchQueue(label: "bank.audit")
  private var seen = 0

  func note(_ amount: Int) { queue.sync { seen += amount } }

  static let checkCall = Place(below: 3)
  func check(_ ledger: Ledger) {
    queue.sync {
      ledger.compare(with: seen)
    }
  }
}

/// A year's statements.
private final class Statement: @unchecked Sendable {
  private let lock = NSLock()
  private var pages = [1, 2, 3]

  static let printPlaces = [Place(below: 2), Place(below: 9)]
  func printAll() {
    lock.lock()
    defer { lock.unlock() }
    for page in pages { print(page) }
  }

  private func print(_ page: Int) {
    // It is called from elsewhere as well.
    lock.lock()
    defer { lock.unlock() }
    pages.removeAll { $0 == page }
  }
}
