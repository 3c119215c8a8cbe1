import CrashReportModel

/// One report of a page: first what happened, then the state of the process.
struct HTMLPage {
  /// After this many bytes of one report, a part that may be long is cut. Including the parts that still follow, a
  /// report takes less than a megabyte.
  enum Room {
    static let text = 150_000
    static let stack = 300_000
    static let breadcrumbs = 400_000
    static let threads = 720_000
    static let tasks = 830_000
    static let images = 900_000
  }

  let report: CrashReport
  let options: TextReport.Options
  let index: Int
  /// Whether it is the page's only report.
  let isAlone: Bool
  let threads: [CrashReport.Thread]
  let excerpts: Excerpts
  let stacks: StackLines
  let names: ThreadNames

  init(_ verified: VerifiedReport, _ options: TextReport.Options, index: Int, isAlone: Bool) {
    report = verified.report
    self.options = options
    self.index = index
    self.isAlone = isAlone
    threads = report.threads ?? []
    excerpts = Excerpts(verified, options)
    stacks = StackLines(report, options.sources)
    names = ThreadNames(report)
  }

  func write(to markup: inout Markup) {
    let start = markup.size
    markup.element("article", [.id(Anchor(report: index))]) { markup in
      HTMLHead(page: self).write(to: &markup)
      markup.element("div", [.literal("class", "columns")]) { markup in
        markup.element("div") { markup in
          writeWhatHappened(to: &markup)
          let list = HTMLThreads(page: self)
          list.writeCrashed(to: &markup, end: start + Room.stack)
          HTMLGuarded(page: self).write(to: &markup, end: start + Room.stack)
          let thrown = HTMLThrown(page: self)
          thrown.writeCause(to: &markup, end: start + Room.stack)
          HTMLHistory(page: self).writeBreadcrumbs(to: &markup, end: start + Room.breadcrumbs)
          thrown.writeOthers(to: &markup)
          list.writeOthers(to: &markup, end: start + Room.threads)
          HTMLTasks(page: self).write(to: &markup, end: start + Room.tasks)
        }
        markup.element("div") { markup in
          HTMLRegisters(page: self).write(to: &markup)
          HTMLHistory(page: self).writeValues(to: &markup)
          HTMLSurroundings(page: self).write(to: &markup, end: start + Room.images)
        }
      }
    }
    markup.endLine()
  }

  /// What the text view says of an ending, a deadlock, a broken rule and a hang, with a drawing if there is one.
  private func writeWhatHappened(to markup: inout Markup) {
    section("Evidence", to: &markup) { EndingSection(report: report).print(to: &$0) }
    let deadlocks = DeadlockSection(report: report, options: options)
    let circles = report.deadlock?.circles ?? []
    for circle in circles.prefix(DeadlockSection.mostCircles) {
      section("Deadlock", to: &markup, drawing: CircleDrawing(circle, of: self)) { deadlocks.print(circle, to: &$0) }
    }
    section("Deadlock", to: &markup) { deadlocks.printRest(to: &$0) }
    if let violation = report.violation {
      HTMLViolation(page: self, violation: violation).write(to: &markup, end: markup.size + Room.text)
    }
    if let hang = report.hang {
      section("Hang", to: &markup, drawing: FlameGraph(hang, of: self)) {
        HangSection(report: report, options: options).print(to: &$0)
      }
    }
  }

  // MARK: Sections

  /// Writes a section: its heading, and then what `body` writes.
  func section(
    _ title: StaticString, to markup: inout Markup, _ body: (inout Markup) -> Void
  ) {
    markup.element("section") { markup in
      heading(title, to: &markup)
      body(&markup)
    }
    markup.endLine()
  }

  /// A section of the text view, under a drawing; nothing if the view prints nothing.
  private func section(
    _ title: StaticString, to markup: inout Markup, drawing: (any Drawing)? = nil, _ print: (inout Printer) -> Void
  ) {
    let text = Self.text(print)
    guard !text.isEmpty else { return }
    section(title, to: &markup) { markup in
      drawing?.write(to: &markup)
      markup.element("pre") { $0.add(lines: Cutting.text(text, atMost: Room.text) { $0.utf8.count }) }
    }
  }

  private func heading(_ title: StaticString, to markup: inout Markup) {
    // Below the report's own heading, which is the page's if the report is alone.
    if isAlone {
      markup.element("h2") { $0.add(literal: title) }
    } else {
      markup.element("h3") { $0.add(literal: title) }
    }
  }

  /// The text of a section of the text view, without the blank lines before it.
  static func text(_ print: (inout Printer) -> Void) -> String {
    var printer = Printer(usesColor: false)
    print(&printer)
    return String(printer.text.drop { $0 == "\n" })
  }
}

/// A drawing next to the text that has the same contents.
protocol Drawing {
  func write(to markup: inout Markup)
}
