import CrashReportModel

/// Prints a stack in aligned columns.
struct StackPrinting {
  /// Function names beyond this width push their location to the right.
  private static let widestColumn = 60

  let options: TextReport.Options
  /// Source files changed after this moment are said to have changed; seconds since 1970.
  let crashTime: Int?

  /// Prints the lines; the first own line whose source can be read is followed by that, where asked for.
  func print(_ lines: [StackLine], withSource: Bool, to printer: inout Printer) {
    let digits = String(max(lines.count - 1, 0)).count
    let width = lines.filter(\.isFrame).map(\.function.columns).filter { $0 <= Self.widestColumn }.max() ?? 0
    var folds = RepeatedFrames.folds(lines)[...]
    var wantsSource = withSource && options.showsSource
    var index = 0
    while index < lines.count {
      if let fold = folds.first, fold.lines.lowerBound == index {
        folds.removeFirst()
        let rounds = fold.lines.count / fold.cycle
        let what = fold.cycle == 1 ? "the same frame" : "the same \(fold.cycle) frames"
        printer.line(
          String(repeating: " ", count: digits + 5)
            + "... \(what) \(rounds) times more (\(fold.lines.lowerBound) to \(fold.lines.upperBound - 1))", .dim)
        index = fold.lines.upperBound
        continue
      }
      let thunks = lines[index..<(folds.first?.lines.lowerBound ?? lines.count)].prefix(while: \.isThunk)
      if thunks.count > 1 {
        printer.line(
          String(repeating: " ", count: digits + 5)
            + "... \(thunks.count) thunks that hand the call on (\(index) to \(thunks.endIndex - 1))", .dim)
        index = thunks.endIndex
        continue
      }
      print(lines[index], digits: digits, width: width, to: &printer)
      if wantsSource, let excerpt = excerpt(lines[index].source) {
        print(excerpt, around: lines[index].source?.line ?? 0, indent: digits + 5, to: &printer)
        wantsSource = false
      }
      index += 1
    }
  }

  private func print(_ line: StackLine, digits: Int, width: Int, to printer: inout Printer) {
    let number = String(line.number).leftPadded(to: digits)
    guard line.isFrame else {
      return printer.line(String(repeating: " ", count: digits + 5) + line.function, .dim)
    }
    let function = line.function.padded(to: width) + "  "
    if line.isOwn {
      printer.line([
        Segment(" > \(number)  "), Segment(function, .bold), Segment(line.location, .location),
      ])
    } else {
      printer.line("   \(number)  \(function)\(line.location)", .dim)
    }
  }

  private func excerpt(_ location: CrashReport.SourceLocation?) -> SourceExcerpt? {
    guard let location, let file = location.file, let line = location.line else { return nil }
    return SourceExcerpt(path: file, line: line, column: location.isApproximate == true ? nil : location.column)
  }

  private func print(_ excerpt: SourceExcerpt, around line: Int, indent: Int, to printer: inout Printer) {
    let blanks = String(repeating: " ", count: indent)
    let digits = String(excerpt.lines.last?.number ?? 0).count
    printer.line()
    if let crashTime, excerpt.modified > crashTime {
      printer.line(blanks + "(the file was changed after the crash)", .warning)
    }
    for (number, text) in excerpt.lines {
      let isLine = number == line
      let gutter = "\(blanks)\(isLine ? ">" : " ") \(String(number).leftPadded(to: digits)) | "
      printer.line([Segment(gutter, .dim), Segment(text, isLine ? .bold : .plain)])
      if isLine, let caret = excerpt.caret {
        let under = "\(blanks)  \(String(repeating: " ", count: digits)) | "
        printer.line([Segment(under, .dim), Segment(String(repeating: " ", count: caret) + "^", .alarm)])
      }
    }
    printer.line()
  }
}
