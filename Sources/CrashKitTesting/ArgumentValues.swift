#if CrashKitTesting
  import Testing

  /// The arguments of a test's case, which Swift Testing keeps to itself: its properties are found by their labels.
  enum ArgumentValues {
    private static let most = 8
    private static let deepest = 4

    /// The descriptions of the arguments, if there are any: `2, "b"`.
    static func text(of testCase: Test.Case) -> String? {
      guard let arguments = child("arguments", of: testCase, depth: 0) else { return nil }
      let values = Mirror(reflecting: arguments).children.prefix(most).compactMap { argument in
        child("value", of: argument.value, depth: 0).map { String(describingForTest: $0) }
      }
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The property of a label, in a value or in its own properties.
    private static func child(_ label: String, of value: Any, depth: Int) -> Any? {
      guard depth < deepest else { return nil }
      let children = Mirror(reflecting: value).children
      if let found = children.first(where: { $0.label == label }) { return found.value }
      return children.lazy.compactMap { child(label, of: $0.value, depth: depth + 1) }.first
    }
  }
#endif
