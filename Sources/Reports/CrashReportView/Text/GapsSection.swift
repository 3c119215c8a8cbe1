import CrashReportModel

/// What is missing: threads that did not answer, parts cut short.
struct GapsSection {
  /// At most this many threads are named one by one.
  private static let namedThreads = 20

  let report: CrashReport

  func print(to printer: inout Printer) {
    let notes = notes
    guard !notes.isEmpty else { return }
    printer.heading("About this report")
    for note in notes { printer.line("  \(note)") }
  }

  /// What is missing and how the report was made, in sentences.
  var notes: [String] {
    var notes: [String] = []
    let capture = report.capture
    let unanswered = capture?.unanswered ?? []
    if unanswered.count > Self.namedThreads {
      notes.append("\(unanswered.count) threads did not answer")
    } else {
      notes += unanswered.map {
        "thread \($0.id?.description ?? "?") did not answer: \($0.reason ?? "no reason given")"
      }
    }
    // Threads of this package's own need none: their code is known, and users can do nothing about it.
    let own = Set((report.threads ?? []).filter { $0.belongsTo != nil }.compactMap(\.id))
    if let unprotected = capture?.unprotected?.filter({ !own.contains($0) }), !unprotected.isEmpty {
      let list = unprotected.prefix(Self.namedThreads).map(\.description).joined(separator: ", ")
      let more = unprotected.count > Self.namedThreads ? " and \(unprotected.count - Self.namedThreads) more" : ""
      notes.append(
        "a stack overflow in these threads would leave no report, because they have no alternate stack: \(list)\(more)")
    }
    notes += (capture?.cutShort ?? []).filter { $0.what != "report" }
      .map { "cut short: \($0.what ?? "?"): \($0.reason ?? "no reason given")" }
    if let count = report.omittedThreads, count > 0 { notes.append("\(counted(count, "thread")) left out") }
    if let count = report.omittedImages, count > 0 { notes.append("\(counted(count, "image")) left out") }
    if let made = made { notes.append(made) }
    if let stopTime = report.capture?.stopTime {
      notes.append("the threads of the process were stopped for \(Formatting.fixed(stopTime * 1000, digits: 1)) ms")
    }
    return notes
  }

  private var made: String? {
    let seconds = report.capture?.captureTime ?? report.backtraceTime
    guard let seconds else { return nil }
    let unwinder = report.capture?.unwinder.map { " with \($0)" } ?? ""
    return "stacks taken\(unwinder) in \(Formatting.fixed(seconds * 1000, digits: 1)) ms"
  }
}
