import CrashKit
import CrashKitHummingbird
import Hummingbird
import NIOPosix

/// Adds two routes that compute, two that wait, two that crash, and five that never answer.
func makeRouter() -> Router<BasicRequestContext> {
  let router = Router()
  router.add(middleware: CrashKitHummingbird.Middleware())
  router.get("/") { _, _ in "ready" }

  router.get("primes/:limit") { _, context in
    let limit = try context.parameters.require("limit", as: Int.self)
    return "\(countPrimes(below: limit))"
  }

  router.get("sleep/:milliseconds") { _, context in
    let milliseconds = try context.parameters.require("milliseconds", as: Int.self)
    try await Task.sleep(for: .milliseconds(milliseconds))
    return "slept"
  }

  router.get("block/:milliseconds") { _, context in
    let milliseconds = try context.parameters.require("milliseconds", as: Int.self)
    try await NIOThreadPool.singleton.runIfActive { block(milliseconds: milliseconds) }
    return "blocked"
  }

  router.get("orders/:id/total") { _, context in
    let id = try context.parameters.require("id", as: Int.self)
    CrashKit.record("order", category: "http", attributes: ["id": "\(id)"])
    let total = OrderBook.shared.total(ofOrder: id)
    return "\(total)"
  }

  router.get("orders/:id/customer") { _, context in
    let id = try context.parameters.require("id", as: Int.self)
    return OrderBook.shared.customer(ofOrder: id)
  }
  addWaitingRoutes(to: router)
  return router
}

private func countPrimes(below limit: Int) -> Int {
  (2..<max(limit, 2)).count { number in
    var divisor = 2
    while divisor * divisor <= number {
      if number % divisor == 0 { return false }
      divisor += 1
    }
    return true
  }
}
