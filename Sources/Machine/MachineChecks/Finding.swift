/// One fact about a machine or a program, and what it means for crashes there.
public struct Finding: Sendable, Hashable {
  /// How much it matters.
  public enum State: String, Sendable, Hashable {
    /// As it should be.
    case ok
    /// Worth knowing: something is not to be had that others may want, or takes another way.
    case note
    /// Crashes are not captured, or cannot be read as they should be.
    case problem
  }

  /// What was looked at, in a few words; the same on every machine.
  public var subject: String
  /// How much it matters.
  public var state: State
  /// What was found.
  public var fact: String
  /// What that means.
  public var meaning: String
  /// What to do about it; nil where there is nothing to do.
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
