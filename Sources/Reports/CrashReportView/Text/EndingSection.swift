import CrashReportModel

/// The evidence for how a process ended that left no report itself.
struct EndingSection {
  let report: CrashReport

  func print(to printer: inout Printer) {
    guard let ending = report.ending else { return }
    let evidence = ending.evidence ?? []
    if !evidence.isEmpty {
      printer.heading("Evidence")
      for sentence in evidence { printer.line("  \(sentence)") }
    }
    if let unfinished = ending.unfinishedReport {
      printer.line()
      printer.line(
        "CrashKit did not finish the crash report. The written part is in \(unfinished), in the same folder.", .warning)
    }
  }
}
