import CrashReportModel

/// A report in a few lines, for people who look at many reports. It shows what happened, the locks, and for each stack
/// the place in the program's own code with its source line. If the report has breadcrumbs or metrics, it also shows
/// the last 16 breadcrumbs and the last values of the metrics.
public struct ShortReport: Sendable {
  private static let breadcrumbsShown = 16

  public let options: TextReport.Options

  public init(options: TextReport.Options = .init()) { self.options = options }

  /// The lines of a symbolicated report, with a line end after each.
  public func text(of verified: VerifiedReport) -> String {
    let report = verified.report
    let stacks = ShortStacks(verified, options)
    var printer = Printer(usesColor: options.usesColor)
    printHeadline(of: report, to: &printer)
    if let violation = report.violation {
      print(violation, of: report, stacks, to: &printer)
    } else {
      printThreads(of: report, stacks, to: &printer)
    }
    printBefore(report, to: &printer)
    return printer.text
  }

  private func printHeadline(of report: CrashReport, to printer: inout Printer) {
    let finding = Finding(report, options.sources)
    let what = report.hang.flatMap { hang in
      hang.duration.map { "\(report.description ?? "hung") for \(Formatting.duration($0))" }
    }
    printer.line([
      Segment("\(finding.severity.rawValue) \(finding.rule): ", .bold), Segment(what ?? finding.message, .alarm),
    ])
  }

  // MARK: Stacks

  private func print(
    _ violation: CrashReport.Violation, of report: CrashReport, _ stacks: ShortStacks, to printer: inout Printer
  ) {
    let names = LockNames(violation.locks ?? [])
    let waits = report.kind == .deadlock
    let edges = violation.edges ?? []
    for edge in edges.prefix(ViolationSection.shownParts) {
      let words = EdgeWords(edge, of: violation, names, waits: waits)
      printer.line("  \(Self.words(for: edge.thread)) \(words.deed):", .dim)
      stacks.print(edge.toFrames, to: &printer)
      guard let origin = words.origin else { continue }
      printer.line("  it \(origin) here:", .dim)
      stacks.print(edge.fromFrames, to: &printer)
    }
    ViolationSection.printRest(of: edges.count, "order of locks", "orders of locks", to: &printer)
    let others = violation.stacks ?? []
    for stack in others.prefix(ViolationSection.shownParts) {
      printer.line("  \(stack.label ?? "stack"), \(Self.words(for: stack.thread)):", .dim)
      stacks.print(stack.frames, to: &printer)
    }
    ViolationSection.printRest(of: others.count, "stack", "stacks", to: &printer)
  }

  private func printThreads(of report: CrashReport, _ stacks: ShortStacks, to printer: inout Printer) {
    for (index, thread) in (report.threads ?? []).enumerated() {
      let isHung = report.hang?.thread != nil && thread.id == report.hang?.thread
      let isSubject = thread.crashed == true || isHung
      // Other threads count where they were in the program's own code.
      guard isSubject || !stacks.ownLines(thread.frames).isEmpty else { continue }
      let what = thread.crashed == true ? "died" : isHung ? "hung" : "was"
      printer.line("  thread \(thread.label(at: index)) \(what) here:", isSubject ? .plain : .dim)
      stacks.print(thread.frames, to: &printer)
      for lock in thread.heldLocks ?? [] { print(lock, "holds", lock.takenAt, stacks, to: &printer) }
      if let lock = thread.waitingFor { print(lock, "waits for", lock.waitsAt, stacks, to: &printer) }
    }
  }

  private func print(
    _ lock: CrashReport.HeldLock, _ verb: String, _ frames: [CrashReport.Frame]?, _ stacks: ShortStacks,
    to printer: inout Printer
  ) {
    let deed = verb == "holds" ? "taken" : "asked for"
    let place = stacks.ownLines(frames).first.map { ", \(deed) at \($0.location)" }
    let name = lock.name.map { "\"\($0)\"" } ?? lock.address.map { "at \($0)" } ?? ""
    printer.line([
      Segment("      it \(verb) \(lock.type ?? "lock") \(name)", .bold), Segment(place ?? "", .location),
    ])
  }

  private static func words(for thread: CrashReport.Violation.Participant?) -> String {
    guard let id = thread?.id, id != 0 else { return "a thread" }
    return "thread \(id)" + (thread?.name.map { " \"\($0)\"" } ?? "")
  }

  // MARK: What happened before

  private func printBefore(_ report: CrashReport, to printer: inout Printer) {
    let breadcrumbs = (report.breadcrumbs ?? []).suffix(Self.breadcrumbsShown)
    if !breadcrumbs.isEmpty { printer.line("  before that:", .dim) }
    for breadcrumb in breadcrumbs {
      let before = report.timestamp.flatMap { end in
        breadcrumb.time.map { Double(end.microseconds - $0.microseconds) / 1e6 }
      }
      // What a hang's report has may be younger than its beginning.
      let time = before.map { ($0 < 0 ? "+" : "-") + "\(Formatting.fixed($0.magnitude, digits: 3)) s" } ?? ""
      printer.line([
        Segment("      \(time.leftPadded(to: 9))  ", .dim), Segment(breadcrumb.category.map { "\($0): " } ?? ""),
        Segment(breadcrumb.message ?? "", .bold),
      ])
    }
    for metric in report.metrics ?? [] {
      printer.line([
        Segment("  last \(metric.name ?? "?"): "), Segment(metric.text, metric.isSound ? .bold : .alarm),
        Segment(metric.state.map { ", \($0)" } ?? "", .dim),
      ])
    }
  }
}
