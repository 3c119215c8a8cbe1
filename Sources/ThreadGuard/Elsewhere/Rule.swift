extension ThreadGuard.Violation {
  /// A rule that ThreadGuard checks. There are none on this system.
  public struct Rule: Sendable, Hashable {
    /// The kind of violation.
    public let kind: Kind
    /// A short stable name of the rule within its kind, such as `double-unlock`. Suppression files use this name.
    public let code: String
    /// The severity of a violation. A report may have a lower severity.
    public let severity: Severity
    /// The subject of the rule, in one sentence.
    public let sentence: String

    /// Empty: there are no rules on this system.
    public static let all: [Rule] = []
  }

  /// `nil`, always: there are no rules on this system.
  public var rule: Rule? { nil }
}
