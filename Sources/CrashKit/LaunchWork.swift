import CCrashCapture
import Glibc
import LinuxCalls
import PreviousRuns

/// The work on earlier runs: it is done once, on another thread than the launch.
struct LaunchWork: Sendable {
  /// At most this many reports are named one by one.
  private static let namedReports = 5

  let path: String
  let retention: CrashKit.Retention
  let onPreviousCrash: (@Sendable (CrashKit.StoredReport) -> Void)?

  /// Starts the work on the launch thread.
  func start() { LaunchThread.run { run() } }

  private func run() {
    guard let directory = try? ReportDirectory(path: path) else { return }
    let outcome = PreviousRuns(in: directory).report()
    retention.apply(to: directory)
    let (reports, skipped) = StoredReports(directory).list([.new])
    for note in outcome.notes + skipped { CrashKit.say(note) }
    for report in reports.prefix(Self.namedReports) {
      let why = [report.signal, report.cause].compactMap { $0 }.joined(separator: ", ")
      CrashKit.say("not yet handled: \(report.path)\(why.isEmpty ? "" : " (\(why))")")
    }
    if reports.count > Self.namedReports {
      CrashKit.say("not yet handled: \(reports.count - Self.namedReports) more in \(path)")
    }
    guard let onPreviousCrash else { return }
    for note in HandOver(from: directory, to: onPreviousCrash).run(reports) { CrashKit.say(note) }
  }
}

extension CrashKit {
  /// Hands over the reports that are not yet handled, after the work of the launch, like
  /// ``Configuration/onPreviousCrash``. It leaves out reports that this process makes from now on, because the report
  /// of a hang is written again when the hang ends.
  package static func handOverStoredReports(
    in directory: String, to body: @escaping @Sendable (StoredReport) -> Void
  ) {
    let start = Retention.now
    LaunchThread.run {
      guard let directory = try? ReportDirectory(path: directory) else { return }
      let reports = StoredReports(directory).list([.new]).reports.filter { report in
        let isEnd = report.kind == "crashReport" || report.kind == "uncleanExit"
        return isEnd || report.pid != getpid() || report.secondsSince1970 < start
      }
      for note in HandOver(from: directory, to: body).run(reports) { say(note) }
    }
  }

  /// Runs `work` on CrashKit's own thread, which handles no signals of the program. Returns `false` if the system
  /// refused a thread.
  package static func runOnOwnThread(_ work: @escaping @Sendable () -> Void) -> Bool {
    OwnThread.start("CrashKit", work)
  }

  /// The folder of the installation; `nil` without one.
  package static var reportDirectory: String? { ck_report_directory().map { String(systemText: $0) } }

  /// Writes a line to standard error, unless the summary is turned off. The line contains no control characters, and
  /// readers of logs do not take it for a crash.
  package static func say(_ text: String) {
    let line = Array("CrashKit[\(getpid())]: \(text.harmless(upTo: 1000))\n".utf8)
    line.withUnsafeBytes { bytes in
      _ = ck_say(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }
}
