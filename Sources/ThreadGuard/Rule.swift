import CThreadGuard

extension ThreadGuard.Violation {
  /// A rule that ThreadGuard can report as broken: a line of `Sources/Locks/CThreadGuard/rules.def`.
  public struct Rule: Sendable, Hashable {
    /// Which kind of violation breaking it is.
    public let kind: Kind
    /// Its short stable name within the kind, such as `double-unlock`: what suppression files name.
    public let code: String
    /// How bad breaking it is. A report may be milder.
    public let severity: Severity
    /// What it is about, in one sentence.
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

  /// The rule that was broken; `nil` if this version of ThreadGuard has no such rule.
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
