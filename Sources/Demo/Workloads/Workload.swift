/// A small program that behaves like part of a real program. It has a correct variant and faulty variants.
///
/// A variant runs in its own process, so that it may hang or die, and so that the tools' reports are about this variant
/// only.
public protocol Workload: Sendable {
  /// How a user names it: lowercase, words joined by hyphens.
  static var name: String { get }

  /// What it does, in one line.
  static var summary: String { get }

  /// The correct variant first.
  static var variants: [Variant] { get }

  init()

  /// Runs the named variant until its work is done or the context's deadline has passed.
  ///
  /// The main queue is served meanwhile. A variant may also hang, or end the process.
  func run(_ variant: Variant, in context: WorkloadContext) async throws
}

/// One way to run a workload.
public struct Variant: Sendable, Hashable {
  /// `correct`, or a name for the mistake: lowercase words joined by hyphens, unique in its workload.
  public let name: String

  /// What the variant does right or wrong, in one line.
  public let summary: String

  /// The mistakes that the tools must find; empty in a correct variant.
  public let planted: [Plant]

  /// How the process must end.
  public let ending: Ending

  public var isCorrect: Bool { planted.isEmpty }

  public init(_ name: String, _ summary: String, planted: [Plant] = [], ending: Ending = .finishes) {
    self.name = name
    self.summary = summary
    self.planted = planted
    self.ending = ending
  }
}

/// How a variant's process ends.
public enum Ending: Sendable, Hashable {
  /// The process exits by itself, with status 0.
  case finishes
  /// One of these signals kills the process, and there is a crash report.
  case diesBy(signals: [Int32])
  /// The process hangs. The stress run ends it when its hang has been reported.
  case hangs
}

/// A planted mistake of a variant, and the places that a report must name.
public struct Plant: Sendable, Hashable {
  /// The report's `kind`, as in its JSON: `nan`, `dataRace`, `lockOrderInversion`, `crashReport`…
  public let kind: String

  /// The source lines that the report must name. For each of these lines, a stack of the report must have a frame.
  public let places: [Place]

  public init(_ kind: String, at places: [Place]) {
    self.kind = kind
    self.places = places
  }
}

/// A source line that a report must name.
public struct Place: Sendable, Hashable, CustomStringConvertible {
  /// The file's last path component.
  public let file: String
  public let line: Int

  /// Names the line that is this number of lines below the call of this initializer.
  public init(below lines: Int, file: String = #fileID, line: Int = #line) {
    self.file = String(file.split(separator: "/").last ?? "")
    self.line = line + lines
  }

  public var description: String { "\(file):\(line)" }
}
