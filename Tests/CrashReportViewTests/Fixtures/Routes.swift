import Hummingbird

func price(of item: Int, in prices: [Int?]) -> Int {
  return prices[item].unsafelyUnwrapped
}

func buildRouter() -> Router<BasicRequestContext> {
  let router = Router()
  router.get("price") { _, _ in
    return "\(price(of: 7, in: []))"
  }
  return router
}
