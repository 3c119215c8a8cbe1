import CrashReportModel

/// The images whose functions or lines the stacks lack, and where to look for them was.
struct MissingSymbolsSection {
  /// So many images are told with every place that was searched.
  private static let detailedImages = 6

  let report: CrashReport

  func print(to printer: inout Printer) {
    let images = report.symbolication?.missingImages ?? []
    guard !images.isEmpty else { return }
    // One's own images come first: who sends for symbols sends for those.
    let sorted = images.filter { $0.debugInfo != nil } + images.filter { $0.debugInfo == nil }
    printer.line()
    for image in sorted.prefix(Self.detailedImages) { print(image, to: &printer) }
    let others = sorted.dropFirst(Self.detailedImages).map(\.label)
    if !others.isEmpty { printer.line("and no symbols for \(others.joined(separator: ", "))", .warning) }
    printer.line("--symbols DIR or CRASHSYM_SYMBOLS names a folder to search, below it too, for files of these builds.")
  }

  private func print(_ image: CrashReport.MissingImage, to printer: inout Printer) {
    let build = image.buildID.map { "build ID \($0)" } ?? "no build ID"
    printer.line([Segment(image.label, .bold), Segment("\(image.lack) (\(build))", .warning)])
    if image.debugInfo == nil, let found = image.foundPath {
      let other = image.foundBuildID.map { " (build ID \($0))" } ?? ""
      printer.line("  \(found) is of another build\(other)", .warning)
    }
    for place in image.searched ?? [] { printer.line("  searched \(place)", .dim) }
  }
}

extension CrashReport.MissingImage {
  fileprivate var label: String { name ?? path ?? "?" }

  fileprivate var lack: String {
    switch debugInfo {
    case .symbolTable: " has no debug information, only a symbol table"
    case .dynamicSymbols: " has no debug information, only the names of exported functions"
    case .nothing: " has no debug information, no symbols at all"
    case nil: " was not found, so it has no symbols here"
    }
  }
}
