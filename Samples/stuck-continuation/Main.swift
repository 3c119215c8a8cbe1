// Requests that wait for their replies as continuations; one of them is never resumed.

import CrashKit
import Dispatch
import Synchronization

struct Reply: Sendable {
  var number: Int
  var status: Int
  var text: String
}

/// A connection to a server, which answers requests by their numbers.
final class Connection: Sendable {
  private let network = DispatchQueue(label: "network")
  private let waiting = Mutex<[Int: CheckedContinuation<String, Never>]>([:])

  func price(of product: Int) async -> String {
    await withCheckedContinuation { request in
      waiting.withLock { $0[product] = request }
      network.async { self.receive(Self.reply(to: product)) }
    }
  }

  private func receive(_ reply: Reply) {
    // The mistake: an error resumes nobody. The request stays in the table, and its task waits for ever.
    guard reply.status == 200 else { return }
    waiting.withLock { $0.removeValue(forKey: reply.number) }?.resume(returning: reply.text)
  }

  private static func reply(to product: Int) -> Reply {
    product == 3 ? Reply(number: product, status: 404, text: "") : Reply(number: product, status: 200, text: "4.50")
  }
}

func show(_ product: Int, from connection: Connection) async {
  let price = await connection.price(of: product)
  print(product, price)
}

@main
struct Main {
  static func main() async throws {
    try CrashKit.install(.init(application: .init(name: "stuck-continuation", version: "1.0")))
    CrashKit.HangDetector.watchTasks(notMovedFor: .seconds(1))
    let connection = Connection()
    await withTaskGroup(of: Void.self) { group in
      for product in 1...4 { group.addTask(name: "product \(product)") { await show(product, from: connection) } }
    }
  }
}
