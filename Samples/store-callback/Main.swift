// A callback that arrives on a queue that nobody has promised.

import CrashKit
import Foundation
import ThreadGuard

struct Price: Sendable {
  var product: String
  var amount: Int
}

/// Answers from what it has at once, and from elsewhere on a queue of its own.
final class Store: @unchecked Sendable {
  private let network = DispatchQueue(label: "store.network")
  private var known: [String: Price] = ["coffee": Price(product: "coffee", amount: 3)]

  func price(of product: String, then answer: @escaping @Sendable (Price) -> Void) {
    if let price = known[product] { return answer(price) }
    network.async { answer(Price(product: product, amount: 4)) }
  }
}

/// A cart that its owner uses on one queue.
final class Cart: @unchecked Sendable {
  let queue = DispatchQueue(label: "cart")
  private(set) var total = 0

  func add(_ price: Price) {
    ThreadGuard.assertOn(queue)
    total += price.amount
  }
}

func order(_ products: [String], from store: Store, into cart: Cart, done: DispatchGroup) {
  for product in products {
    done.enter()
    // The mistake: which queue the answer comes on depends on whether the price is known.
    store.price(of: product) { price in
      cart.add(price)
      done.leave()
    }
  }
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(.init(application: .init(name: "store-callback", version: "1.0")))
    let store = Store()
    let cart = Cart()
    let done = DispatchGroup()
    cart.queue.sync { order(["coffee", "tea"], from: store, into: cart, done: done) }
    done.wait()
  }
}
