import ArgumentParser
import CrashReportView
import Glibc
import ReportSymbolication
import Symbolication

/// When text is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never

  /// Colours are used on terminals that support them, unless the user turned them off (https://no-color.org).
  func applies(to descriptor: Int32) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
      let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
      return !isUnwanted && !isDumb && isatty(descriptor) == 1
    }
  }
}

/// The options of every command that shows reports.
struct ReportOptions: ParsableArguments {
  @Flag(help: "Show all breadcrumbs instead of the last 40.")
  var allBreadcrumbs = false

  @Flag(help: "Show only the breadcrumbs of the Swift task that the report is about.")
  var task = false

  @Option(help: "Colour the text: \(ColorChoice.allValueStrings.joined(separator: ", ")).")
  var color = ColorChoice.auto
}

/// A command that shows reports.
protocol ReportCommand: FillingCommand {
  var sources: SourceOptions { get }
  var options: ReportOptions { get }
}

extension ReportCommand {
  /// Reports errors of the options before the command does anything.
  ///
  /// - Returns: The folders of the sources.
  /// - Throws: `ExitCode`.
  func checkOptions() throws -> SourceFolders {
    try symbolFolders.check()
    return try sources.folders(hidesUsers: filling.scrub)
  }

  /// The stages after reading, set up by the options.
  func pipeline(_ folders: SourceFolders, coloredBy descriptor: Int32) -> ReportPipeline {
    let symbolicator = symbolicator
    let view = TextReport.Options(
      usesColor: options.color.applies(to: descriptor), sources: folders,
      showsSource: !filling.scrub && !sources.isOff, showsAllBreadcrumbs: options.allBreadcrumbs,
      showsTaskAlone: options.task)
    return ReportPipeline(
      symbolicator: ReportSymbolicator(symbolicator), context: ReportContext(options: view, version: Crashsym.version),
      scrubs: filling.scrub, saveIndex: symbolicator.saveIndex)
  }
}
