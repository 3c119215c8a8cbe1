import CrashReportModel

/// Where errors were thrown: the one that the report is about with its stack, the others in a line each.
struct ThrownSection {
  /// At most this many of the last errors are listed.
  static let mostListed = 10

  let report: CrashReport
  let options: TextReport.Options
  let excerpts: Excerpts

  /// `The error was thrown in load(), Load.swift:7.`, of the error that the report is about.
  static func sentence(in report: CrashReport, _ sources: SourceFolders) -> String? {
    guard let cause = report.thrownCause, let place = place(of: cause, in: report, sources) else { return nil }
    return "\(beginning(for: cause)) was thrown \(place)."
  }

  /// `in load(), Load.swift:7`, with a word of doubt.
  static func fact(in report: CrashReport, _ sources: SourceFolders) -> String? {
    guard let cause = report.thrownCause, let place = place(of: cause, in: report, sources) else { return nil }
    return cause.causeKnownBy == nil ? place : "\(words(for: cause)) \(place)"
  }

  private static func place(
    of cause: CrashReport.ThrownError, in report: CrashReport, _ sources: SourceFolders
  ) -> String? {
    let lines = StackLines(report, sources).lines(cause.framesFromThrow)
    return (lines.place ?? lines.first.map { " in \($0.function)" }).map { String($0.dropFirst()) }
  }

  /// `Where the error was thrown`
  static func title(in report: CrashReport) -> StaticString {
    switch report.thrownCause?.causeKnownBy {
    case nil: "Where the error was thrown"
    case "type": "Where an error of this type was thrown"
    default: "Where an equal error was thrown"
    }
  }

  /// Names the error. If only its value or its type is known, it may be another error.
  static func words(for cause: CrashReport.ThrownError) -> String {
    switch cause.causeKnownBy {
    case nil: "the error"
    case "type": "an error of this type"
    default: "an equal error"
    }
  }

  private static func beginning(for cause: CrashReport.ThrownError) -> String {
    let words = words(for: cause)
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The stack of the throw, if the report is about an error.
  func printCause(to printer: inout Printer) {
    guard let cause = report.thrownCause else { return }
    printer.heading(heading(of: cause))
    printer.line()
    let lines = StackLines(report, options.sources).lines(cause.framesFromThrow)
    StackPrinting(excerpts: excerpts).print(lines, withSource: true, to: &printer)
  }

  /// `The error, Store.LoadError, was thrown by thread 17 in task 3, 0.012 s before`.
  func heading(of cause: CrashReport.ThrownError) -> String {
    let type = cause.type.map { ", \($0)," } ?? ""
    let thread = cause.thread.map { " by \(ThreadNames(report).label(of: $0))" } ?? ""
    let task = cause.task.map { " in task \($0)" } ?? ""
    let error = Self.beginning(for: cause) + type
    return "\(error) was thrown\(thread)\(task)\(cause.context?.suffix ?? "")\(before(cause))"
  }

  /// The last errors of which the report is not about.
  func printOthers(to printer: inout Printer) {
    let others = (report.thrown ?? []).filter { $0.isCause != true }
    guard !others.isEmpty else { return }
    let omitted = (report.omittedThrown ?? 0) + max(0, others.count - Self.mostListed)
    printer.heading("Other errors that were thrown" + (omitted > 0 ? " (\(omitted) older ones are not shown)" : ""))
    let shown = others.suffix(Self.mostListed)
    let history = HistorySection(report: report, options: options)
    let stack = StackLines(report, options.sources)
    let times = shown.map { history.time($0.time) }
    let timeWidth = times.map(\.count).max() ?? 0
    for (time, error) in zip(times, shown) {
      let lines = stack.lines(error.framesFromThrow)
      let place = lines.place ?? lines.first.map { " in \($0.function)" } ?? ""
      let thread = error.thread.map { ", thread \($0)" } ?? ""
      printer.line([
        Segment("  \(time.leftPadded(to: timeWidth))  ", .dim), Segment(error.type ?? "an error", .bold),
        Segment("\(place)\(thread)"),
      ])
    }
  }

  private func before(_ cause: CrashReport.ThrownError) -> String {
    guard let end = report.timestamp, let time = cause.time else { return "" }
    let seconds = end.seconds(since: time)
    return seconds > 0 ? ", \(Formatting.fixed(seconds, digits: 3)) s before" : ""
  }
}
