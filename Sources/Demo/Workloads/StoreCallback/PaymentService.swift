import Dispatch

/// A purchase.
struct Transaction: Sendable, Equatable {
  let product: String
  let number: Int
}

/// The shop's side, as a vendor's library has it. It promises an answer, and no queue: a receipt that it has at hand is
/// given at once, on the caller's; another comes from the network, or from wherever the library keeps its receipts.
final class PaymentService: Sendable {
  /// Where a purchase is answered from.
  enum Source: CaseIterable, Sendable { case hand, network, receipts }

  private let network = DispatchQueue(label: "payment.network")
  private let receipts = DispatchQueue(label: "payment.receipts", attributes: .concurrent)

  func buy(
    _ product: String, number: Int, from source: Source, then answer: @escaping @Sendable (Transaction) -> Void
  ) {
    let transaction = Transaction(product: product, number: number)
    switch source {
    case .hand: answer(transaction)
    case .network: network.async { answer(transaction) }
    case .receipts: receipts.async { answer(transaction) }
    }
  }
}
