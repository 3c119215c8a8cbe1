/// The result of a command. `renderers` lists the formats in which the command can print it.
public protocol Rendered: Sendable {
  /// What the renderers need in addition to the result, such as options of the text and versions.
  associatedtype Context: Sendable

  /// The only list of formats, the default first; for reports, in `ReportRenderers.swift`. The help of `--format` is
  /// made from this list.
  static var renderers: [Renderer<Self>] { get }
}

/// A format of a command's output.
public struct Renderer<Subject: Rendered>: Sendable {
  /// The form of the output: a text for each subject, one text for all subjects, or one binary file for all subjects.
  public enum Form: Sendable {
    /// A text for each subject, with its line end, or `nil` if the format has nothing to show for the subject.
    case each(@Sendable (Subject, Subject.Context) -> String?)
    /// One text for all subjects, with its line end.
    case all(@Sendable ([Subject], Subject.Context) -> String)
    /// One binary file for all subjects.
    case file(@Sendable ([Subject], Subject.Context) -> [UInt8])
  }

  /// Its name for `--format`.
  public let name: String
  /// How it makes its output.
  public let form: Form
  /// Whether the output is for people. If so, blank lines and file names may separate the subjects.
  public let isForPeople: Bool
  /// The error message if this format has nothing to show for a report.
  public let lack: String

  /// Describes a format.
  public init(_ name: String, isForPeople: Bool = false, lack: String = "has nothing to show", _ form: Form) {
    self.name = name
    self.isForPeople = isForPeople
    self.lack = lack
    self.form = form
  }

  /// Finds the format with that name; `nil` if there is none.
  public init?(named name: String) {
    guard let found = Subject.renderers.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// Whether its output is binary, which a terminal cannot show.
  public var isBinary: Bool {
    if case .file = form { true } else { false }
  }

  /// The output for one subject, or `nil` if the format has nothing to show for it.
  public func bytes(of subject: Subject, _ context: Subject.Context) -> [UInt8]? {
    if case .file(let bytes) = form { return bytes([subject], context) }
    return text(of: subject, context).map { Array($0.utf8) }
  }

  /// The text for one subject, or `nil` if the format has nothing to show for it, or is binary.
  public func text(of subject: Subject, _ context: Subject.Context) -> String? {
    switch form {
    case .each(let text): text(subject, context)
    case .all(let text): text([subject], context)
    case .file: nil
    }
  }
}
