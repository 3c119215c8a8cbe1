/// Ways to die that the Swift runtime checks for. Never inlined: each stands in the report under its own name.
enum SwiftCrashes {
  @inline(never)
  static func indexOutOfRange(_ values: [Int], _ index: Int) {
    printToStandardError("\(values[index])\n")
  }

  @inline(never)
  static func forceUnwrap(_ value: Int?) {
    printToStandardError("\(value!)\n")
  }

  @inline(never)
  static func forceCast(_ value: Any) {
    printToStandardError("\(value as! Int)\n")
  }

  struct EmptyConfiguration: Error {}

  @inline(never)
  private static func parse(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw EmptyConfiguration() }
    return number
  }

  @inline(never)
  static func forceTry() {
    printToStandardError("\(try! parse(""))\n")
  }

  @inline(never)
  static func fatalErrorCall() {
    fatalError("the catalogue asked for this")
  }

  @inline(never)
  static func failPrecondition(_ count: Int) {
    precondition(count >= 0, "count must not be negative")
  }

  @inline(never)
  static func preconditionFailureCall() {
    preconditionFailure("the state is impossible")
  }

  @inline(never)
  static func assertionFailureCall() {
    assertionFailure("the debug build says so")
  }

  @inline(never)
  static func addOne(to value: Int) {
    printToStandardError("\(value + 1)\n")
  }

  @inline(never)
  static func divide(_ dividend: Int, by divisor: Int) {
    printToStandardError("\(dividend / divisor)\n")
  }

  nonisolated(unsafe) private static var count = 0

  @inline(never)
  private static func modify(_ value: inout Int, _ body: () -> Void) {
    body()
    value += 1
  }

  @inline(never)
  static func breakExclusivity() {
    modify(&count) { modify(&count) {} }
  }

  @inline(never) @discardableResult
  static func recurse(_ depth: Int) -> Int {
    depth == 0 ? 0 : recurse(depth + 1) + depth
  }

  private final class Counter {
    let count = 1
  }

  @inline(never)
  static func useDeadUnowned() {
    var owner: Counter? = Counter()
    unowned let counter = owner!
    owner = nil
    printToStandardError("\(counter.count)\n")
  }

  @inline(never)
  static func asyncCrash() async {
    await Task.yield()
    await loadProfile(of: 4711)
  }

  @inline(never)
  private static func loadProfile(of user: Int) async {
    await Task.yield()
    printToStandardError(await decode(nil))
  }

  @inline(never)
  private static func decode(_ text: String?) async -> String {
    await Task.yield()
    return text!
  }
}
