import CrashReportModel

/// A stack as a list: the program's own calls open and with their source, the others folded.
struct HTMLStack {
  /// At most this many calls have their source lines.
  private static let mostExcerpts = 8

  let page: HTMLPage

  /// The list, up to a size of the page.
  func write(_ frames: [CrashReport.Frame], to markup: inout Markup, end: Int) {
    let lines = page.stacks.lines(frames)
    let folds = Dictionary(uniqueKeysWithValues: RepeatedFrames.folds(lines).map { ($0.lines.lowerBound, $0) })
    var excerptsLeft = Self.mostExcerpts
    markup.element("ol", [.literal("class", "stack")]) { markup in
      var index = 0
      while index < lines.count {
        guard markup.size < end else {
          markup.element(
            "li", [.literal("class", "note")], "\(counted(lines.count - index, "more frame")); crashsym shows them")
          break
        }
        if let fold = folds[index] {
          let rounds = fold.lines.count / fold.cycle
          let what = fold.cycle == 1 ? "the same frame" : "the same \(fold.cycle) frames"
          markup.element(
            "li", [.literal("class", "note")],
            "\(what) \(rounds) times more (\(fold.lines.lowerBound) to \(fold.lines.upperBound - 1))")
          index = fold.lines.upperBound
        } else if lines[index].isOwn, lines[index].isFrame {
          writeOwn(lines[index], excerptsLeft: &excerptsLeft, to: &markup)
          index += 1
        } else {
          let rest = lines[(index + 1)...].prefix { !($0.isOwn && $0.isFrame) && folds[$0.number] == nil }
          writeOthers(lines[index..<rest.endIndex], to: &markup, end: end)
          index = rest.endIndex
        }
      }
    }
  }

  private func writeOwn(_ line: StackLine, excerptsLeft: inout Int, to markup: inout Markup) {
    markup.element("li", [.literal("class", "own")]) { markup in
      writeLine(line, to: &markup)
      guard excerptsLeft > 0, let answer = page.excerpts.answer(for: line.source) else { return }
      excerptsLeft -= 1
      write(answer, around: line.source?.line ?? 0, to: &markup)
    }
  }

  private func writeOthers(_ lines: ArraySlice<StackLine>, to markup: inout Markup, end: Int) {
    guard lines.count > 1, let first = lines.first, let last = lines.last else {
      for line in lines { markup.element("li") { writeLine(line, to: &$0) } }
      return
    }
    markup.element("li") { markup in
      markup.element("details") { markup in
        markup.element("summary") { markup in
          markup.add("\(lines.count) frames of libraries: ")
          markup.element("code") { $0.add(first.function, upTo: 60) }
          markup.add(" … ")
          markup.element("code") { $0.add(last.function, upTo: 60) }
        }
        markup.element("ol") { markup in
          for line in lines where markup.size < end { markup.element("li") { writeLine(line, to: &$0) } }
        }
      }
    }
  }

  private func writeLine(_ line: StackLine, to markup: inout Markup) {
    markup.element("span", [.literal("class", "number")], String(line.number))
    markup.element("code", line.function)
    if !line.location.isEmpty {
      markup.add(" ")
      markup.element("span", [.literal("class", "place")], line.location)
    }
  }

  // MARK: Source

  private func write(_ answer: Excerpts.Answer, around line: Int, to markup: inout Markup) {
    switch answer {
    case .isPrivate:
      markup.element(
        "p", [.literal("class", "warning")],
        "not shown: the file has several hard links, or not all users may read it; give its folder with --source")
    case .lines(let excerpt, let changed, let recorded):
      if let recorded {
        markup.element("p", [.literal("class", "warning")], "a guess: the program was built from \(recorded)")
      }
      if changed { markup.element("p", [.literal("class", "warning")], "the file was changed after the crash") }
      markup.element("pre", [.literal("class", "source"), .literal("tabindex", "0")]) { markup in
        for (number, text) in excerpt.lines {
          if number == line {
            markup.element("mark") { Self.write(number, text, to: &$0) }
          } else {
            Self.write(number, text, to: &markup)
          }
          markup.endLine()
        }
      }
    }
  }

  private static func write(_ number: Int, _ text: String, to markup: inout Markup) {
    markup.add("\(String(number).leftPadded(to: 5)) │ \(text)")
  }
}
