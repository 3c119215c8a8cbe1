import Foundation

/// Which set of tests runs: the quick one, or all of them.
enum TestSet {
  static let isFull = ProcessInfo.processInfo.environment["CRASHKIT_TEST_FULL"] == "yes"

  /// All of these in the full set. The quick one has `quick` alone.
  static func all<Value>(_ values: [Value], quick: [Value]) -> [Value] { isFull ? values : quick }

  /// How often something is tried in the full set, and in the quick one.
  static func times(_ full: Int, quick: Int) -> ClosedRange<Int> { 1...(isFull ? full : quick) }
}
