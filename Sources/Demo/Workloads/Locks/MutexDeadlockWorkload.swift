import CrashKit
import Glibc
import Synchronization

/// Transfers between two accounts, each of which a Swift `Mutex` protects. In the faulty variant, two transfers would
/// wait for each other. The kernel refuses the second wait, and `Mutex` then ends the process.
public struct MutexDeadlockWorkload: Workload {
  public static let name = "mutex-deadlock"
  public static let summary = "Transfers between two accounts, each behind a Mutex"

  public static let variants = [
    Variant("correct", "The account with the smaller number is always locked first"),
    Variant(
      "opposite-orders", "Each transfer locks the paying account first, so two transfers in opposite directions crash",
      planted: [Plant("crashReport", at: [Account.payeeCall])], ending: .diesBy(signals: [SIGILL, SIGTRAP])),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    CrashKit.record("the bank opens", category: "bank")
    let accounts = [Account(number: 0), Account(number: 1)]
    await withTaskGroup(of: Void.self) { group in
      for clerk in 0..<max(2, context.threads) {
        group.addTask {
          await onThread("clerk \(clerk)") {
            var random = context.random(for: clerk)
            while variant.isCorrect ? !context.isOver : true {
              let amount = Int.random(in: 1...9, using: &random)
              let (payer, payee) = (accounts[clerk % 2], accounts[1 - clerk % 2])
              if variant.isCorrect { payer.payInOrder(amount, to: payee) } else { payer.pay(amount, to: payee) }
            }
          }
        }
      }
    }
    CrashKit.record("the bank closes", category: "bank")
  }
}

/// An account, its balance behind a lock.
private final class Account: Sendable {
  let number: Int
  private let balance = Mutex(1_000_000)

  init(number: Int) { self.number = number }

  static let payeeCall = Place(below: 5)
  func pay(_ amount: Int, to payee: Account) {
    balance.withLock { balance in
      balance -= amount
      // The mistake: the paying account is locked first.
      payee.balance.withLock { $0 += amount }
    }
  }

  func payInOrder(_ amount: Int, to payee: Account) {
    let (first, second) = number < payee.number ? (self, payee) : (payee, self)
    first.balance.withLock { firstBalance in
      second.balance.withLock { secondBalance in
        firstBalance += first === self ? -amount : amount
        secondBalance += second === self ? -amount : amount
      }
    }
  }
}
