/// Orders as a list of item numbers; prices by item number.
struct OrderBook: Sendable {
  static let shared = OrderBook(
    orders: [1: [0, 1], 2: [1, 2, 2], 3: [2, 3]],
    prices: [250, 120, 999],
    customers: [1: "Ada", 2: "Grace"])

  var orders: [Int: [Int]]
  var prices: [Int]
  var customers: [Int: String]

  /// The sum of the order's prices; 0 if there is no such order.
  @inline(never)
  func total(ofOrder id: Int) -> Int {
    sum(of: orders[id] ?? [])
  }

  @inline(never)
  private func sum(of items: [Int]) -> Int {
    items.reduce(0) { sum, item in sum + price(of: item) }
  }

  /// Another mistake: order 3 has no customer.
  @inline(never)
  func customer(ofOrder id: Int) -> String {
    customers[id]!
  }

  /// The mistake: order 3 holds an item that was never given a price.
  @inline(never)
  private func price(of item: Int) -> Int {
    prices[item]
  }
}
