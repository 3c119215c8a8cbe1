import Testing

@testable import Workloads

@Suite struct CheckoutTests {
  /// Wherever the service answers, the receipt is sent from the main queue, once.
  @Test(arguments: PaymentService.Source.allCases) func everyAnswerIsSent(source: PaymentService.Source) async {
    let checkout = Checkout(service: PaymentService(), session: ReceiptSession())
    let transaction = await withCheckedContinuation { done in
      checkout.buy("tea", number: 7, from: source) { done.resume(returning: $0) }
    }
    #expect(transaction == Transaction(product: "tea", number: 7))
    let counts = await onMain { checkout.session.counts }
    #expect(counts.open == 0 && counts.sent == 1)
  }
}
