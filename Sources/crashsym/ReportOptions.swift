import ArgumentParser
import CrashReportView
import Glibc
import ReportSymbolication
import Symbolication

/// What reports are printed as.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, collapsed, speedscope, dot, sarif, github
}

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

  @Flag(help: "Show all breadcrumbs rather than the last 40.")
  var allBreadcrumbs = false

  @Option(help: "Colour the text: \(ColorChoice.allValueStrings.joined(separator: ", ")).")
  var color = ColorChoice.auto

  /// The stages behind reading, set up as asked for.
  func pipeline(coloredBy descriptor: Int32) -> ReportPipeline {
    let symbolicator = filling.symbolicator
    let view = TextReport(
      options: .init(
        usesColor: color.applies(to: descriptor), workingDirectory: Self.workingDirectory, showsSource: !filling.scrub,
        showsAllBreadcrumbs: allBreadcrumbs))
    return ReportPipeline(
      symbolicator: ReportSymbolicator(symbolicator), view: view, scrubs: filling.scrub,
      saveIndex: symbolicator.saveIndex)
  }

  /// Where files are searched, and how functions are named.
  var symbolicationOptions: SymbolicationOptions {
    filling.symbolFolders.symbolicationOptions(fullNames: filling.fullNames, cache: filling.cache)
  }

  private static var workingDirectory: String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
