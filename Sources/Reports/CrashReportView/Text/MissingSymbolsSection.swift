import CrashReportModel

/// The images whose functions or lines the stacks lack, and where to look for them was.
struct MissingSymbolsSection {
  /// The number of images that are listed with every place that was searched.
  private static let detailedImages = 6

  let report: CrashReport

  func print(to printer: inout Printer) {
    printUnverified(to: &printer)
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

  private func printUnverified(to printer: inout Printer) {
    let images = report.symbolication?.unverifiedImages ?? []
    guard !images.isEmpty else { return }
    printer.line()
    let changed = images.filter { $0.isChangedSince == true }
    for image in changed.prefix(Self.detailedImages) {
      let text = " has no build ID in the report, and \(image.foundPath ?? "its file") was changed after the crash: "
      printer.line([Segment(image.label, .bold), Segment(text + "what is shown of it may be wrong", .warning)])
    }
    let others = images.filter { $0.isChangedSince != true }.map(\.label)
    guard !others.isEmpty else { return }
    let names = others.prefix(Self.detailedImages).joined(separator: ", ")
    let more = others.count > Self.detailedImages ? " and \(others.count - Self.detailedImages) more" : ""
    let what = "no build ID in the report, so the build was not checked and no source lines are shown"
    printer.line("\(what): \(names)\(more)", .dim)
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

extension CrashReport.UnverifiedImage {
  fileprivate var label: String { name ?? foundPath ?? "?" }
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
