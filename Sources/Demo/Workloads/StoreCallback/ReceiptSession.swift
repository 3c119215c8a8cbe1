import Dispatch
import ThreadGuard

/// Sends receipts to the program's own server. Its state belongs to the main queue, and it says so.
final class ReceiptSession: @unchecked Sendable {
  private var open = 0
  private var sent = 0
  private let server = DispatchQueue(label: "receipts.server")

  var counts: (open: Int, sent: Int) {
    ThreadGuard.assertMainQueue()
    return (open, sent)
  }

  /// Sends a receipt; `done` is called on the main queue.
  func send(_ transaction: Transaction, then done: @escaping @Sendable () -> Void) {
    ThreadGuard.assertMainQueue()
    open += 1
    server.async {
      DispatchQueue.main.async {
        self.open -= 1
        self.sent += 1
        done()
      }
    }
  }
}
