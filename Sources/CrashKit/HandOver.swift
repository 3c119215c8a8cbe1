import PreviousRuns

/// Gives stored reports to the program, one after the other, so that one that it dies of does not keep it from living.
struct HandOver {
  /// A report that the program died of this often is set aside.
  static let mostAttempts = 3

  private let directory: ReportDirectory
  private let body: @Sendable (CrashKit.StoredReport) -> Void

  init(from directory: ReportDirectory, to body: @escaping @Sendable (CrashKit.StoredReport) -> Void) {
    self.directory = directory
    self.body = body
  }

  /// The file whose size says how often a report was handed over without coming back.
  static func attemptsName(_ name: String) -> String { name + ".attempts" }

  /// Hands reports over, oldest first; those that the program died of before come last.
  ///
  /// - Returns: A line for each that was set aside.
  func run(_ reports: [CrashKit.StoredReport]) -> [String] {
    var notes: [String] = []
    let waiting = reports.map { (report: $0, attempts: attempts(at: $0)) }
      .sorted { ($0.attempts, $0.report.name) < ($1.attempts, $1.report.name) }
    for (report, _) in waiting { handOver(report, &notes) }
    return notes
  }

  private func attempts(at report: CrashKit.StoredReport) -> Int {
    Int(directory.status(of: Self.attemptsName(report.name))?.st_size ?? 0)
  }

  private func handOver(_ report: CrashKit.StoredReport, _ notes: inout [String]) {
    // Another process that has the same report at hand holds its lock.
    guard let file = try? directory.open(report.relativePath), file.lock(),
      file.isStill(report.relativePath, in: directory)
    else { return }
    let name = Self.attemptsName(report.name)
    guard attempts(at: report) < Self.mostAttempts else {
      if (try? StoredReports(directory).move(report, to: .setAside)) == true {
        notes.append("\(report.name) is set aside: the program died \(Self.mostAttempts) times when it was handed over")
      }
      return
    }
    // Where that cannot be noted, nothing would end a series of crashes.
    do throws(SystemError) {
      try directory.lengthen(name)
    } catch {
      notes.append("\(report.name) is not handed over: \(error)")
      return
    }
    body(report)
    try? directory.remove(name)
  }
}
