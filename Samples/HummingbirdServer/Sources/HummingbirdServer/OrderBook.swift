/// Orders as a list of item numbers; prices by item number.
struct OrderBook: Sendable {
  static let shared = OrderBook(
    orders: [1: [0, 1], 2: [1, 2, 2], 3: [2, 3]],
    prices: [250, 120, 999])

  var orders: [Int: [Int]]
  var prices: [Int]

  /// The sum of the order's prices; 0 if there is no such order.
  @inline(never)
  func total(ofOrder id: Int) -> Int {
    sum(of: orders[id] ?? [])
  }

  @inline(never)
  private func sum(of items: [Int]) -> Int {
    items.reduce(0) { sum, item in sum + price(of: item) }
  }

  /// The mistake: order 3 holds an item that was never given a price.
  @inline(never)
  private func price(of item: Int) -> Int {
    prices[item]
  }
}
