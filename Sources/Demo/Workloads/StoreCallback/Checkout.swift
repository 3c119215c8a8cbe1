import Dispatch

/// What happens at the touch of "Buy": the service is asked, and its receipt sent on.
final class Checkout: Sendable {
  let service: PaymentService
  let session: ReceiptSession

  init(service: PaymentService, session: ReceiptSession) {
    self.service = service
    self.session = session
  }

  /// `done` is called on the main queue, once the receipt has been sent.
  func buy(
    _ product: String, number: Int, from source: PaymentService.Source,
    then done: @escaping @Sendable (Transaction) -> Void
  ) {
    service.buy(product, number: number, from: source) { transaction in
      DispatchQueue.main.async { self.session.send(transaction) { done(transaction) } }
    }
  }
}
