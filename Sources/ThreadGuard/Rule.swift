import CThreadGuard

extension ThreadGuard.Violation {
  /// A rule that ThreadGuard checks: a line of `Sources/Locks/CThreadGuard/rules.def`.
  public struct Rule: Sendable, Hashable {
    /// The kind of violation.
    public let kind: Kind
    /// A short stable name of the rule within its kind, such as `double-unlock`. Suppression files use this name.
    public let code: String
    /// The severity of a violation. A report may have a lower severity.
    public let severity: Severity
    /// The subject of the rule, in one sentence.
    public let sentence: String

    /// Every rule, in the order of the table in `Docs/threadguard-reports.md`.
    public static let all: [Rule] = (0..<CTG_RULE_COUNT.rawValue).map { Rule(ctg_rule_facts(ctg_rule($0))) }

    private init(_ facts: ctg_rule_facts) {
      kind = Kind.inOrder[Int(facts.kind.rawValue)]
      code = String(cString: facts.code)
      severity = Severity.inOrder[Int(facts.severity.rawValue)]
      sentence = String(cString: facts.sentence)
    }
  }

  /// The broken rule; `nil` if this version of ThreadGuard has no such rule.
  public var rule: Rule? { Rule.all.first { $0.kind == kind && $0.code == code } }

  /// A rule that Swift code states was broken.
  init(
    _ rule: ctg_rule, message: String, expected: String? = nil, actual: String? = nil, stacks: [LabelledStack] = [],
    thread: String? = nil, function: String = "", file: String = "", line: Int = 0
  ) {
    let rule = Rule.all[Int(rule.rawValue)]
    self.init(
      kind: rule.kind, severity: rule.severity, code: rule.code, message: message, expected: expected, actual: actual,
      stacks: stacks, thread: thread, function: function, file: file, line: line)
  }
}
