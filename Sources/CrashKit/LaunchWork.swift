import CCrashCapture
import CReportTerms
import Glibc
import LinuxCalls
import PreviousRuns

/// What is done about earlier runs, once and beside the launch.
struct LaunchWork: Sendable {
  /// So many reports are named one by one.
  private static let namedReports = 5

  let path: String
  let retention: CrashKit.Retention
  let onPreviousCrash: (@Sendable (CrashKit.StoredReport) -> Void)?

  /// Starts it on a thread of its own, on which no signal but a fault's is taken.
  func start() {
    let box = Unmanaged.passRetained(Box(self))
    var all = sigset_t()
    var before = sigset_t()
    term_fill_without(&all, term_handled_signals())
    pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        ck_begin_own_thread("CrashKit")
        Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().work.run()
        ck_end_own_thread()
        return nil
      }, box.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    if code == 0 { pthread_detach(thread) } else { box.release() }
  }

  private final class Box: Sendable {
    let work: LaunchWork
    init(_ work: LaunchWork) { self.work = work }
  }

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
      CrashKit.say("not yet handled: and \(reports.count - Self.namedReports) more in \(path)")
    }
    guard let onPreviousCrash else { return }
    for note in HandOver(from: directory, to: onPreviousCrash).run(reports) { CrashKit.say(note) }
  }
}

extension CrashKit {
  /// The folder of the installation.
  static var reportDirectory: String? { ck_report_directory().map { String(systemText: $0) } }

  /// Writes a line to standard error, unless the summary is switched off. It holds nothing that a terminal would obey, and
  /// a reader of logs takes no such line for a crash's.
  static func say(_ text: String) {
    let line = Array("CrashKit[\(getpid())]: \(text.harmless(upTo: 1000))\n".utf8)
    line.withUnsafeBytes { bytes in
      _ = ck_say(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }
}
