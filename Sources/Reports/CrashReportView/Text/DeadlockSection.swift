import CrashReportModel

/// Threads or Swift tasks that wait for each other in circles, so that none of them continues.
struct DeadlockSection {
  /// At most this many circles are shown.
  static let mostCircles = 10
  /// At most this many threads or tasks of a circle are shown.
  private static let mostSteps = 40

  let report: CrashReport
  let options: TextReport.Options

  /// All circles of threads, then those of tasks.
  func print(to printer: inout Printer) {
    let circles = report.deadlock?.circles ?? []
    for circle in circles.prefix(Self.mostCircles) { print(circle, to: &printer) }
    printRest(to: &printer)
  }

  /// The text after the circles of threads that are shown.
  func printRest(to printer: inout Printer) {
    printMore(report.deadlock?.circles.count ?? 0, to: &printer)
    printTasks(to: &printer)
  }

  /// Each thread of a circle, what it waits for, and where.
  func print(_ circle: CrashReport.Deadlock, to printer: inout Printer) {
    let steps = circle.steps ?? []
    guard !steps.isEmpty else { return }
    let names = ThreadNames(report)
    printer.heading(
      steps.count == 1
        ? "Deadlock: a thread waits for itself" : "Deadlock: \(steps.count) threads wait for each other")
    let threads = ThreadsByID(report)
    var places = StackPlaces(StackLines(report, options.sources))
    for step in steps.prefix(Self.mostSteps) {
      printer.line("   \(names.label(of: step.thread)) waits for \(Wait(step).words(names))")
      let place = places.place(of: step.thread, threads[step.thread]?.frames)
      if !place.isEmpty { printer.line("     \(place)", .location) }
    }
    printMoreSteps(steps.count, to: &printer)
  }

  /// The circles of Swift tasks.
  func printTasks(to printer: inout Printer) {
    let circles = TaskCircles(report).circles
    var places = StackPlaces(StackLines(report, options.sources))
    for circle in circles.prefix(Self.mostCircles) {
      printer.heading(
        circle.count == 1
          ? "Deadlock: a Swift task waits for itself"
          : "Deadlock: \(circle.count) Swift tasks wait for each other")
      for step in circle.prefix(Self.mostSteps) {
        printer.line("   \(step.task.label) \(step.task.deed(isOne: true))\(step.groupWords)")
        let place = places.place(of: step.example.id, step.example.frames)
        if !place.isEmpty { printer.line("     \(place)", .location) }
      }
      printMoreSteps(circle.count, to: &printer)
    }
    printMore(circles.count, to: &printer)
  }

  private func printMoreSteps(_ count: Int, to printer: inout Printer) {
    guard count > Self.mostSteps else { return }
    printer.line("   ... and \(count - Self.mostSteps) more; the report has all", .dim)
  }

  private func printMore(_ count: Int, to printer: inout Printer) {
    guard count > Self.mostCircles else { return }
    printer.line()
    printer.line("   ... and \(counted(count - Self.mostCircles, "more circle")); the report has all", .dim)
  }
}
