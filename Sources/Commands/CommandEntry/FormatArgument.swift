import ArgumentParser
import CrashReportView

/// A value of `--format`: the name of one of the renderers.
extension Renderer: ExpressibleByArgument {
  /// The format that is used without `--format`.
  public static var standard: Renderer { Subject.renderers[0] }

  /// Finds the format with that name; `nil` if there is none.
  public init?(argument: String) { self.init(named: argument) }

  public static var allValueStrings: [String] { Subject.renderers.map(\.name) }

  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  public var defaultValueDescription: String { name }
}
