import CrashReportModel

/// Threads that wait for each other in a circle: why nothing goes on.
struct DeadlockSection {
  let report: CrashReport
  let options: TextReport.Options

  func print(to printer: inout Printer) {
    let steps = report.deadlock?.steps ?? []
    guard !steps.isEmpty else { return }
    let names = ThreadNames(report)
    printer.heading(
      steps.count == 1
        ? "Deadlock: a thread waits for what it has itself" : "Deadlock: \(steps.count) threads wait for each other")
    let stack = StackLines(report, options.sources)
    for step in steps {
      printer.line("   \(names.label(of: step.thread)) waits for \(Wait(step).words(names))")
      let thread = report.threads?.first { $0.id != nil && $0.id == step.thread }
      if let place = stack.lines(thread?.frames ?? []).place { printer.line("     \(place)", .location) }
    }
  }
}
