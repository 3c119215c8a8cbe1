// Two transfers between the same two accounts, in opposite directions, each with both accounts' locks.

import CrashKit
import Foundation
import Synchronization

final class Account: Sendable {
  let balance: Mutex<Int>

  init(_ balance: Int) { self.balance = Mutex(balance) }
}

/// Moves an amount; `checked` is called between the two locks.
func transfer(_ amount: Int, from payer: Account, to payee: Account, checked: () -> Void) {
  payer.balance.withLock { payer in
    checked()
    // The mistake: whoever pays is locked first, so two transfers may take the locks in opposite orders.
    payee.balance.withLock { payee in
      payer -= amount
      payee += amount
    }
  }
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(.init(application: .init(name: "mutex-deadlock", version: "1.0")))
    let rent = Account(100)
    let savings = Account(100)
    let firstHasLock = DispatchSemaphore(value: 0)
    let secondHasLock = DispatchSemaphore(value: 0)
    Thread {
      transfer(10, from: savings, to: rent) {
        firstHasLock.signal()
        secondHasLock.wait()
      }
    }.start()
    Thread {
      firstHasLock.wait()
      transfer(20, from: rent, to: savings) {
        secondHasLock.signal()
        // By then the other transfer waits. The kernel refuses the lock that would close the circle, and Mutex traps.
        Thread.sleep(forTimeInterval: 0.5)
      }
    }.start()
    while true { sleep(1000) }
  }
}
