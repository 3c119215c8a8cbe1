import Dispatch
import Testing

@testable import Accounts

@Suite struct AccountTests {
  @Test func whatLeavesOneAccountArrivesAtTheOther() {
    let one = Account(balance: 100)
    let other = Account(balance: 0)
    one.transfer(30, to: other)
    #expect(one.value == 70 && other.value == 30)
  }

  /// Passes by itself, since one transfer is over when the other begins. ThreadGuard reports their locks' orders all the same.
  @Test func moneyGoesBothWays() {
    let one = Account(balance: 100)
    let other = Account(balance: 100)
    for (from, to) in [(one, other), (other, one)] {
      DispatchQueue(label: "transfer").sync { from.transfer(10, to: to) }
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        from.transfer(10, to: to)
        done.signal()
      }
      done.wait()
    }
    #expect(one.value == 100 && other.value == 100)
  }
}
