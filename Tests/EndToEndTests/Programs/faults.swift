// Dies in the way that its first argument says; with OTHER_BUILD it is another build of the same faults.
import Glibc

#if OTHER_BUILD
  // Code that moves all that follows: other lines, other addresses, other numbers of closures.
  @inline(never)
  func tax(_ prices: [Int]) -> Int {
    prices.map { price in price / 5 }.filter { part in part > 1 }.reduce(0) { sum, part in sum &+ part }
  }
#endif

@inline(never)
func price(of item: Int, in prices: [Int]) -> Int {
  prices[item]
}

@inline(never)
func total(_ prices: [Int]) -> Int {
  #if OTHER_BUILD
    let more = prices.map { price in price &+ tax(prices) }
    print(more.count)
  #endif
  return prices.indices.map { index in price(of: index + prices.count, in: prices) }.reduce(0, &+)
}

@inline(never)
func name(of item: Int) -> String {
  let names: [Int: String] = [0: "none"]
  return names[item]!
}

@inline(never)
func walk(_ depth: Int) -> Int {
  depth == 0 ? total([1, 2, 3]) : descend(depth - 1) &+ 1
}

@inline(never)
func descend(_ depth: Int) -> Int {
  walk(depth) &+ 1
}

@inline(never)
func fetch(_ number: Int) async -> Int {
  await Task.yield()
  let prices = [number, number]
  await Task.yield()
  return total(prices)
}

/// The same fault in another part of the function: before it first waits.
@inline(never)
func fetchAtOnce(_ number: Int, later: Bool) async -> Int {
  if !later { return total([number]) }
  await Task.yield()
  return total([number])
}

@main
struct Main {
  static func main() async {
    let number = CommandLine.arguments.count
    switch CommandLine.arguments[1] {
    case "total": print(total([number]))
    case "name": print(name(of: number))
    case "walk": print(walk(Int(CommandLine.arguments[2]) ?? 0))
    case "fetch": print(await fetch(number))
    case "at-once": print(await fetchAtOnce(number, later: false))
    case "later": print(await fetchAtOnce(number, later: true))
    default: exit(64)
    }
  }
}
