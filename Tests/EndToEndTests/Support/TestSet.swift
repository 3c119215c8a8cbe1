/// What the quick set of tests takes of what the full one has.
enum TestSet {
  /// All of these in the full set. The quick one has `quick` alone.
  static func all<Value>(_ values: [Value], quick: [Value]) -> [Value] { Products.testsAreFull ? values : quick }

  /// How often something is tried in the full set, and in the quick one.
  static func times(_ full: Int, quick: Int) -> ClosedRange<Int> { 1...(Products.testsAreFull ? full : quick) }
}
