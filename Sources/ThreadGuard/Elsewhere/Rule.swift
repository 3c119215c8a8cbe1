extension ThreadGuard.Violation {
  /// A rule that ThreadGuard can report as broken. This system has no such rule.
  public struct Rule: Sendable, Hashable {
    /// Which kind of violation breaking it is.
    public let kind: Kind
    /// Its short stable name within the kind, such as `double-unlock`: what suppression files name.
    public let code: String
    /// How bad breaking it is. A report may be milder.
    public let severity: Severity
    /// What it is about, in one sentence.
    public let sentence: String

    /// No rules.
    public static let all: [Rule] = []
  }

  /// No rule.
  public var rule: Rule? { nil }
}
