import Foundation

/// An account with a lock of its own.
public final class Account: @unchecked Sendable {
  private let lock = NSLock()
  private var balance: Int

  public init(balance: Int) { self.balance = balance }

  public var value: Int { lock.withLock { balance } }

  /// Takes this account's lock, then the other's: two transfers that cross each other may wait for ever.
  public func transfer(_ amount: Int, to other: Account) {
    lock.withLock {
      balance -= amount
      other.lock.withLock { other.balance += amount }
    }
  }
}
