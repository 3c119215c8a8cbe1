import Glibc
import LinuxCalls
import PreviousRuns

/// Gives stored reports to the program, one after the other. A report of which the program dies does not keep it from
/// starting.
struct HandOver {
  /// A report of which the program died this many times is set aside. This many deaths in a row, of any reports, end
  /// the handing over.
  static let mostAttempts = 3
  /// How long it is ended then, in seconds, unless the program is replaced.
  private static let pause = 86400
  /// How far two clocks of one folder may be apart, in seconds.
  private static let clockSlack = 3600
  /// Its size says how often in a row.
  private static let seriesName = ".hand-over"

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
    if reports.isEmpty { return [] }
    if isPaused {
      return [
        "CrashKit hands over no report for a day, or until the program is replaced, because the program died "
          + "\(Self.mostAttempts) times in a row while it handled a report"
      ]
    }
    var notes: [String] = []
    let waiting = reports.map { (report: $0, attempts: attempts(at: $0)) }
      .sorted { ($0.attempts, $0.report.name) < ($1.attempts, $1.report.name) }
    for (report, _) in waiting { handOver(report, &notes) }
    return notes
  }

  private func attempts(at report: CrashKit.StoredReport) -> Int {
    Int(directory.status(of: Self.attemptsName(report.name))?.st_size ?? 0)
  }

  /// Whether the program dies of whatever it is given: then it would do so at each launch, of the reports of its deaths.
  private var isPaused: Bool {
    guard let series = directory.status(of: Self.seriesName), series.st_size >= Self.mostAttempts else { return false }
    var program = stat()
    if stat("/proc/self/exe", &program) == 0, program.st_ctim.tv_sec > series.st_mtim.tv_sec { return false }
    // A time to come is that of a clock that was wrong then or is now: no reason to wait for it.
    let (sinceThen, overflow) = time(nil).subtractingReportingOverflow(series.st_mtim.tv_sec)
    return !overflow && (-Self.clockSlack..<Self.pause).contains(sinceThen)
  }

  private func handOver(_ report: CrashKit.StoredReport, _ notes: inout [String]) {
    // Another process that has the same report at hand holds its lock.
    guard let file = try? directory.open(report.relativePath), file.lock(),
      file.isStill(report.relativePath, in: directory)
    else { return }
    let name = Self.attemptsName(report.name)
    guard attempts(at: report) < Self.mostAttempts else {
      if (try? StoredReports(directory).move(report, to: .setAside)) == true {
        notes.append(
          "\(report.name) is set aside: the program died \(Self.mostAttempts) times while it handled this report")
      }
      return
    }
    // If that cannot be noted, nothing would end a series of crashes.
    do throws(SystemError) {
      guard try AttemptUnderWay.begin([name, Self.seriesName], in: directory) else { return }
    } catch {
      notes.append("\(report.name) is not handed over: \(error)")
      return
    }
    OwnThread.rest { body(report) }
    try? directory.remove(name)
    try? directory.remove(Self.seriesName)
    AttemptUnderWay.end()
  }
}
