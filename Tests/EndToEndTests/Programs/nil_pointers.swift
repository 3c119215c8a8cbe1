// Dies by a null pointer, in a way that its argument names.

struct Place { var x = 1, y = 2 }

final class Order {
  var number = 1
  var total = 7
  var place = Place()
  @inline(never) func sum() -> Int { total + 1 }
}

@inline(never) func total(_ order: Order) -> Int { order.total }
@inline(never) func inner(_ order: Order) -> Int { order.place.y }
@inline(never) func pointed(_ place: UnsafePointer<Place>) -> Int { place.pointee.y }

@main struct Main {
  static func main() {
    let none = unsafeBitCast(UInt(CommandLine.arguments.count - 2), to: Order.self)
    switch CommandLine.arguments[1] {
    case "total": print(total(none))
    case "inner": print(inner(none))
    case "sum": print(none.sum())
    case "pointed": print(pointed(unsafeBitCast(UInt(CommandLine.arguments.count - 2), to: UnsafePointer<Place>.self)))
    default: break
    }
  }
}
