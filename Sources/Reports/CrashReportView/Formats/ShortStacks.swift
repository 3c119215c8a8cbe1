import CrashReportModel

/// Prints the place of each stack in the program's own code, in a few lines for each.
struct ShortStacks {
  private static let framesShown = 4

  private let stack: StackLines
  private let excerpts: Excerpts

  init(_ verified: VerifiedReport, _ options: TextReport.Options) {
    stack = StackLines(verified.report, options.sources)
    excerpts = Excerpts(verified, options)
  }

  /// The program's own calls, without calls that the compiler made: these have no line to show.
  func ownLines(_ frames: [CrashReport.Frame]?) -> [StackLine] {
    stack.lines(frames ?? []).filter { $0.isOwn && $0.isFrame && $0.source?.line ?? 0 > 0 }
  }

  func print(_ frames: [CrashReport.Frame]?, to printer: inout Printer) {
    let lines = ownLines(frames)
    guard !lines.isEmpty else { return printer.line("      no function of the program's own", .dim) }
    for (index, line) in lines.prefix(Self.framesShown).enumerated() {
      printer.line([Segment("      \(line.function)  "), Segment(line.location, .location)])
      if index == 0, let source = sourceLine(line.source) { printer.line("          \(source)", .bold) }
    }
    if lines.count > Self.framesShown {
      printer.line("      and \(counted(lines.count - Self.framesShown, "caller"))", .dim)
    }
  }

  private func sourceLine(_ location: CrashReport.SourceLocation?) -> String? {
    guard case .lines(let excerpt, _, _) = excerpts.answer(for: location) else { return nil }
    return excerpt.lines.first { $0.number == location?.line }.map { String($0.text.drop { $0 == " " }) }
  }
}
