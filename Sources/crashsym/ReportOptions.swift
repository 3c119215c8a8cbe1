import ArgumentParser
import CrashReportView
import Glibc
import ReportSymbolication
import Symbolication

/// When text is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never

  /// Colours are for terminals that know them and for people who have not asked for none (https://no-color.org).
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
  @OptionGroup var filling: FillingOptions
  @OptionGroup var sources: SourceOptions

  @Flag(help: "Show all breadcrumbs instead of the last 40.")
  var allBreadcrumbs = false

  @Flag(help: "Show only the breadcrumbs of the Swift task that the report is about.")
  var task = false

  @Option(help: "Colour the text: \(ColorChoice.allValueStrings.joined(separator: ", ")).")
  var color = ColorChoice.auto

  /// Reports what is wrong with an option, before anything is done.
  ///
  /// - Returns: Where the sources lie.
  /// - Throws: `ExitCode`.
  func check() throws -> SourceFolders {
    try filling.symbolFolders.check()
    return try sources.folders(hidesUsers: filling.scrub)
  }

  /// The stages after reading, set up by the options.
  func pipeline(_ folders: SourceFolders, coloredBy descriptor: Int32) -> ReportPipeline {
    let symbolicator = filling.symbolicator
    let view = TextReport.Options(
      usesColor: color.applies(to: descriptor), sources: folders, showsSource: !filling.scrub && !sources.isOff,
      showsAllBreadcrumbs: allBreadcrumbs, showsTaskAlone: task)
    return ReportPipeline(
      symbolicator: ReportSymbolicator(symbolicator), context: ReportContext(options: view, version: Crashsym.version),
      scrubs: filling.scrub, saveIndex: symbolicator.saveIndex)
  }
}
