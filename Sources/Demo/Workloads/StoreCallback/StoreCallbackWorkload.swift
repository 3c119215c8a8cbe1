import Dispatch
import Synchronization

/// A payment callback that arrives on an unspecified queue and calls network code that asserts that it runs on the main
/// queue.
public struct StoreCallbackWorkload: Workload {
  public static let name = "store-callback"
  public static let summary = "A payment service answers on any queue; receipts must be sent from the main queue"

  public static let variants = [
    Variant("correct", "Each answer is sent to the main queue before the program uses it"),
    Variant(
      "sends-from-callback", "The receipt is sent on the queue on which the answer arrives",
      planted: [Plant("mainQueueViolation", at: [Checkout.sendsFromCallback])]),
    Variant(
      "unsynchronised-badge", "Answers are counted without a lock, on the queues on which they arrive",
      planted: [Plant("dataRace", at: [PurchaseBadge.counts])]),
    Variant(
      "main-waits-for-itself",
      "The code that gets the answer calls sync on the main queue, even if it already runs on the main queue",
      planted: [
        Plant("deadlock", at: [Checkout.waitsForItself]), Plant("crashReport", at: [Checkout.waitsForItself]),
      ], ending: .diesBy(signals: [4, 5])),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    let checkout = Checkout(service: PaymentService(), session: ReceiptSession())
    switch variant.name {
    case "sends-from-callback":
      try await shop(context, checkout) { $0.buyAndSendAtOnce("tea", number: $1, from: $2, then: $3) }
    case "main-waits-for-itself":
      try await shop(context, checkout) { $0.buyAndWaitForMain("tea", number: $1, from: $2, then: $3) }
    case "unsynchronised-badge": await countAnswers(context, checkout.service)
    default: try await runCorrectly(context, checkout)
    }
  }

  private typealias Purchase = @Sendable (Checkout, Int, PaymentService.Source, @escaping @Sendable () -> Void) -> Void

  /// Every participant buys, each time once the purchase before is through. Returns how much was bought.
  @discardableResult
  private func shop(_ context: WorkloadContext, _ checkout: Checkout, buy: @escaping Purchase) async throws -> Int {
    let bought = Atomic(0)
    try await context.inTasks { participant, random in
      let source = PaymentService.Source.allCases.randomElement(using: &random)!
      await withCheckedContinuation { done in
        DispatchQueue.main.async { buy(checkout, participant, source) { done.resume() } }
      }
      bought.add(1, ordering: .relaxed)
    }
    return bought.load(ordering: .relaxed)
  }

  private func runCorrectly(_ context: WorkloadContext, _ checkout: Checkout) async throws {
    let bought = try await shop(context, checkout) { checkout, number, source, done in
      checkout.buy("tea", number: number, from: source) { _ in done() }
    }
    let counts = await onMain { checkout.session.counts }
    let isSent = counts.open == 0 && counts.sent == bought
    try BrokenPromise.unless(isSent, "\(counts.open) of \(bought) receipts are open and \(counts.sent) are sent")
  }

  private func countAnswers(_ context: WorkloadContext, _ service: PaymentService) async {
    let badge = PurchaseBadge()
    await context.onThreads("shopper") { participant, random in
      let source = PaymentService.Source.allCases.randomElement(using: &random)!
      let answered = DispatchSemaphore(value: 0)
      service.buy("tea", number: participant, from: source) { transaction in
        badge.note(transaction)
        answered.signal()
      }
      answered.wait()
    }
  }
}
