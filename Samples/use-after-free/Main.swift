// An object is used after its release, through a reference that does not keep it alive. The guard of allocations is on.

import CrashKit

final class Order {
  var items = [19, 7]
}

struct Basket {
  var order: Unmanaged<Order>

  @inline(never)
  static func make() -> Basket {
    Basket(order: .passRetained(Order()))
  }

  @inline(never)
  func cancel() {
    order.release()
    print("cancelled")
  }

  @inline(never)
  func total() -> Int {
    order._withUnsafeGuaranteedRef { $0.items }.reduce(0, +)
  }
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(.init(application: .init(name: "use-after-free", version: "1.0")))
    let basket = Basket.make()
    basket.cancel()
    print(basket.total())
  }
}
