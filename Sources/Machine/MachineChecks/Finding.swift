/// One fact about a machine or a program, and what it means for crashes there.
public struct Finding: Sendable, Hashable {
  /// The importance of a finding.
  public enum State: String, Sendable, Hashable {
    /// Everything is right.
    case ok
    /// Good to know: something is not available, or works differently.
    case note
    /// Crashes are not captured, or cannot be read properly.
    case problem
  }

  /// The subject of the check, in a few words. These words are the same on every machine.
  public var subject: String
  /// The importance of a finding.
  public var state: State
  /// The result of the check.
  public var fact: String
  /// The meaning of the result.
  public var meaning: String
  /// What to do; nil if there is nothing to do.
  public var advice: String?

  static func ok(_ subject: String, _ fact: String, _ meaning: String) -> Self {
    Self(subject: subject, state: .ok, fact: fact, meaning: meaning)
  }

  static func note(_ subject: String, _ fact: String, _ meaning: String, _ advice: String? = nil) -> Self {
    Self(subject: subject, state: .note, fact: fact, meaning: meaning, advice: advice)
  }

  static func problem(_ subject: String, _ fact: String, _ meaning: String, _ advice: String) -> Self {
    Self(subject: subject, state: .problem, fact: fact, meaning: meaning, advice: advice)
  }
}
