import CrashReportModel

/// The text view in parts, for documents that have their own headings.
struct ReportParts {
  /// A part with its heading.
  struct Part {
    let title: StaticString
    let text: String
    let rank: Rank
  }

  /// The importance of a part for a reader.
  enum Rank {
    /// What happened.
    case main
    /// What the program recorded before it happened.
    case history
    /// Details that a document may fold.
    case detail
  }

  /// What happened, in which program and where, on one line.
  let headline: String
  /// The program's last message.
  let message: String?
  /// The lines under the headline: names and values.
  let facts: [(title: StaticString, text: String)]
  /// The parts that have something to show, the most important first.
  let parts: [Part]

  /// Writes the parts of a report.
  init(_ verified: VerifiedReport, _ options: TextReport.Options) {
    let report = verified.report
    let excerpts = Excerpts(verified, options)
    let head = HeadlineSection(report: report)
    headline = report.headline
    message = report.message.flatMap { $0.isEmpty ? nil : $0 }
    facts = Self.facts(report, options.sources, head)
    let threads = ThreadsSection(report: report, options: options, excerpts: excerpts)
    var parts: [Part] = []
    func add(_ title: StaticString, _ rank: Rank = .main, _ print: (inout Printer) -> Void) {
      var printer = Printer(usesColor: false)
      print(&printer)
      let lines = printer.text.drop { $0 == "\n" }
      if !lines.isEmpty { parts.append(Part(title: title, text: String(lines), rank: rank)) }
    }
    add("Evidence") { EndingSection(report: report).print(to: &$0) }
    add("Deadlock") { DeadlockSection(report: report, options: options).print(to: &$0) }
    add("Hang") { HangSection(report: report, options: options).print(to: &$0) }
    add("Broken rule") {
      ViolationSection(report: report, options: options, excerpts: excerpts).print(to: &$0)
    }
    add("Crashed thread") { threads.printCrashed(to: &$0) }
    add("Guarded memory") {
      GuardedSection(report: report, options: options, excerpts: excerpts).print(to: &$0)
    }
    let thrown = ThrownSection(report: report, options: options, excerpts: excerpts)
    add(ThrownSection.title(in: report)) { thrown.printCause(to: &$0) }
    add("What happened before", .history) {
      HistorySection(report: report, options: options).print(to: &$0)
      thrown.printOthers(to: &$0)
    }
    add("Missing symbols") { MissingSymbolsSection(report: report).print(to: &$0) }
    add("Other threads", .detail) { threads.printOthers(to: &$0) }
    add("Swift tasks", .detail) {
      TasksSection(report: report, options: options, excerpts: excerpts).print(to: &$0)
    }
    add("Registers", .detail) { RegistersSection(report: report).print(to: &$0) }
    add("Process and machine", .detail) { SurroundingsSection(report: report).print(to: &$0) }
    add("About this report", .detail) { GapsSection(report: report).print(to: &$0) }
    self.parts = parts
  }

  /// The lines under the headline.
  static func facts(
    _ report: CrashReport, _ sources: SourceFolders, _ head: HeadlineSection
  ) -> [(StaticString, String)] {
    let place = Finding(report, sources).place
    let location = place.flatMap { place in
      place.file.map { $0 + (place.line.map { ":\($0)" } ?? "") + (place.column.map { ":\($0)" } ?? "") }
    }
    let tests = TestWords(report: report)
    let context = report.contextWords
    let facts: [(StaticString, String?)] = [
      ("Test", tests.name), ("Other tests", tests.others), ("Context", context),
      ("Function", place?.function), ("Place", location), ("Pointer", PointerWords(report)?.sentence),
      ("Thrown", ThrownSection.fact(in: report, sources)), ("Signal", head.signal),
      ("Time", report.timestamp.map(Formatting.moment)), ("Running for", head.uptime),
      ("Fingerprint", report.fingerprint?.value), ("Incomplete", head.incomplete.joined(separator: "; ")),
    ]
    return facts.compactMap { title, text in text.flatMap { $0.isEmpty ? nil : (title, $0) } }
  }
}
