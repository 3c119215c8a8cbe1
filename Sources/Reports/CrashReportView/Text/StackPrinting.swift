import CrashReportModel

/// Prints a stack in aligned columns.
struct StackPrinting {
  /// Function names beyond this width push their location to the right.
  private static let widestColumn = 60

  let excerpts: Excerpts

  /// Prints the lines. With source, an excerpt follows the first of the program's own lines that has one.
  func print(_ lines: [StackLine], withSource: Bool, to printer: inout Printer) {
    let digits = String(max(lines.count - 1, 0)).count
    let width = lines.filter(\.isFrame).map(\.function.columns).filter { $0 <= Self.widestColumn }.max() ?? 0
    var folds = RepeatedFrames.folds(lines)[...]
    var wantsSource = withSource
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
            + "... \(thunks.count) thunks that pass the call on (\(index) to \(thunks.endIndex - 1))", .dim)
        index = thunks.endIndex
        continue
      }
      print(lines[index], digits: digits, width: width, to: &printer)
      if wantsSource, let answer = excerpts.answer(for: lines[index].source) {
        print(answer, around: lines[index].source?.line ?? 0, indent: digits + 5, to: &printer)
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

  private func print(_ answer: Excerpts.Answer, around line: Int, indent: Int, to printer: inout Printer) {
    let blanks = String(repeating: " ", count: indent)
    printer.line()
    switch answer {
    case .isPrivate:
      printer.line(
        blanks
          + "(not shown: the file has several hard links, or not all users may read it; give its folder with --source)",
        .warning)
    case .lines(let excerpt, let changed, let recorded):
      if let recorded { printer.line(blanks + "(a guess: the program was built from \(recorded))", .warning) }
      if changed { printer.line(blanks + "(the file was changed after the crash)", .warning) }
      print(excerpt, around: line, after: blanks, to: &printer)
    }
    printer.line()
  }

  private func print(_ excerpt: SourceExcerpt, around line: Int, after blanks: String, to printer: inout Printer) {
    let digits = String(excerpt.lines.last?.number ?? 0).count
    for (number, text) in excerpt.lines {
      let isLine = number == line
      let gutter = "\(blanks)\(isLine ? ">" : " ") \(String(number).leftPadded(to: digits)) | "
      printer.line([Segment(gutter, .dim), Segment(text, isLine ? .bold : .plain)])
      if isLine, let caret = excerpt.caret {
        let under = "\(blanks)  \(String(repeating: " ", count: digits)) | "
        printer.line([Segment(under, .dim), Segment(String(repeating: " ", count: caret) + "^", .alarm)])
      }
    }
  }
}
