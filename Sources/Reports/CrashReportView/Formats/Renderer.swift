/// What a command prints, with the list of formats that it can be printed in.
public protocol Rendered: Sendable {
  /// What the renderers need besides: options of the text, versions.
  associatedtype Context: Sendable

  /// The one list of formats, the default first; for reports, in `ReportRenderers.swift`. The help of `--format` is made
  /// of it.
  static var renderers: [Renderer<Self>] { get }
}

/// A format of a command's output.
public struct Renderer<Subject: Rendered>: Sendable {
  /// One text for each subject, or one text or file for all of them.
  public enum Form: Sendable {
    /// A text for each subject, with its line end, or `nil` if the format has nothing to show of the subject.
    case each(@Sendable (Subject, Subject.Context) -> String?)
    /// One text for all subjects, with its line end.
    case all(@Sendable ([Subject], Subject.Context) -> String)
    /// One file for all subjects, which is no text.
    case file(@Sendable ([Subject], Subject.Context) -> [UInt8])
  }

  /// What `--format` calls it.
  public let name: String
  /// How it makes its text.
  public let form: Form
  /// Whether people read it: blank lines and names of files may stand between the subjects.
  public let isForPeople: Bool
  /// The error for a report of which this format has nothing to show.
  public let lack: String

  /// Describes a format.
  public init(_ name: String, isForPeople: Bool = false, lack: String = "has nothing to show", _ form: Form) {
    self.name = name
    self.isForPeople = isForPeople
    self.lack = lack
    self.form = form
  }

  /// The format of that name.
  public init?(named name: String) {
    guard let found = Subject.renderers.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// Whether what it makes is no text, which a terminal would not show.
  public var isBinary: Bool {
    if case .file = form { true } else { false }
  }

  /// What it makes of one subject, or `nil` if the format has nothing to show of it.
  public func bytes(of subject: Subject, _ context: Subject.Context) -> [UInt8]? {
    if case .file(let bytes) = form { return bytes([subject], context) }
    return text(of: subject, context).map { Array($0.utf8) }
  }

  /// The text of one subject, or `nil` if the format has nothing to show of it, or is no text.
  public func text(of subject: Subject, _ context: Subject.Context) -> String? {
    switch form {
    case .each(let text): text(subject, context)
    case .all(let text): text([subject], context)
    case .file: nil
    }
  }
}
