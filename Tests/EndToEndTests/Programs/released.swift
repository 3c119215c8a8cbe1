// Memory is used after its release: released HOW, of Swift's unsafe parts.

import Glibc

final class Order {
  var number: Int
  init(number: Int) { self.number = number }
}

struct Kept: @unchecked Sendable {
  var numbers: UnsafeMutablePointer<Int>
  var order: Unmanaged<Order>
}

@inline(never) func makeNumbers() -> UnsafeMutablePointer<Int> {
  let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 6)  // Numbers are allocated here.
  numbers.initialize(repeating: 7, count: 6)
  return numbers
}
@inline(never) func makeOrder() -> Unmanaged<Order> {
  .passRetained(Order(number: 7))  // An order is allocated here.
}
@inline(never) func load() -> Kept { Kept(numbers: makeNumbers(), order: makeOrder()) }

@inline(never) func drop(_ kept: Kept) {
  kept.numbers.deallocate()  // Numbers are released here.
  kept.order.release()  // An order is released here.
}

@inline(never) func sum(_ numbers: UnsafeMutablePointer<Int>) -> Int {
  numbers[2] + 1  // Numbers are used here.
}
@inline(never) func number(of order: Unmanaged<Order>) -> Int {
  order._withUnsafeGuaranteedRef { $0.number } + 1  // An order is used here.
}

/// Runs it on a thread of its own, to its end.
@inline(never) func onAnotherThread(_ work: @escaping @Sendable () -> Void) {
  final class Box {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(work)).toOpaque()
  pthread_create(
    &thread, nil,
    {
      Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().work()
      return nil
    }, box)
  pthread_join(thread, nil)
}

@main struct Main {
  static func main() {
    let kept = load()
    onAnotherThread { drop(kept) }
    print(CommandLine.arguments.last == "object" ? number(of: kept.order) : sum(kept.numbers))
  }
}
