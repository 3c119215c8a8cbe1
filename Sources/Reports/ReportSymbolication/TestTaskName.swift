/// The name that Swift Testing gives to a task that runs a test or a suite (6.3 and later).
///
/// swift-testing, Sources/Testing/Running/Runner.swift, TaskAdditions.swift: `[Swift Testing] test total(of:) - running
/// test case #2`.
struct TestTaskName {
  /// The function, if the test has no name for people, or the type of a suite.
  private(set) var name: String?
  /// The name for people.
  private(set) var displayName: String?
  /// Whether the task runs a suite, and no test.
  let isSuite: Bool
  /// Whether the task runs the test's function, and does not only wait for its cases.
  let runs: Bool
  /// The number of the case, if the test has arguments.
  let testCase: Int?

  private static let mark = "[Swift Testing] "

  /// Whether Swift Testing gave the name, though it may be cut.
  static func isOne(_ text: String) -> Bool { text.hasPrefix(mark) }

  init?(_ text: String) {
    guard var rest = text.after(Self.mark) else { return nil }
    isSuite = rest.hasPrefix("suite ")
    guard let subject = rest.after(isSuite ? "suite " : "test ") else { return nil }
    rest = subject
    let action = rest.ranges(of: " - running").last
    let detail = action.map { rest[$0.upperBound...] } ?? ""
    testCase = detail.after(" test case #").flatMap { Int($0) }
    guard detail.isEmpty || testCase != nil else { return nil }
    if let action { rest = rest[..<action.lowerBound] }
    runs = !isSuite && action != nil
    if rest.count > 2, rest.first == "\"", rest.last == "\"" {
      displayName = String(rest.dropFirst().dropLast())
    } else if isSuite || rest.last == ")" {
      name = String(rest)
    } else {
      // "test run", or a name that was cut.
      return nil
    }
  }
}

extension StringProtocol where SubSequence == Substring {
  /// What follows a beginning.
  fileprivate func after(_ start: String) -> Substring? { hasPrefix(start) ? dropFirst(start.count) : nil }
}
