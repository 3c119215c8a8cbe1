import Dispatch
import ThreadGuard

extension Checkout {
  static let sendsFromCallback = Place(below: 7)

  func buyAndSendAtOnce(
    _ product: String, number: Int, from source: PaymentService.Source, then done: @escaping @Sendable () -> Void
  ) {
    service.buy(product, number: number, from: source) { transaction in
      // The mistake: this need not be the main queue.
      self.session.send(transaction, then: done)
    }
  }

  static let waitsForItself = Place(below: 7)

  func buyAndWaitForMain(
    _ product: String, number: Int, from source: PaymentService.Source, then done: @escaping @Sendable () -> Void
  ) {
    service.buy(product, number: number, from: source) { transaction in
      // The mistake: an answer at hand comes on the main queue, which then waits for itself.
      DispatchQueue.main.sync { self.session.send(transaction, then: done) }
    }
  }
}

/// How much was bought, for a badge in a corner.
final class PurchaseBadge: @unchecked Sendable {
  static let counts = Place(below: 6)

  @ThreadGuard.GuardedValue private(set) var count = 0

  func note(_ transaction: Transaction) {
    // The mistake: answers come on several queues at once.
    _count.write { $0 += 1 }
  }
}
