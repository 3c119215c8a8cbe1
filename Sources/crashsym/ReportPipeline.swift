import CrashReportModel
import CrashReportView
import Dispatch
import Glibc
import ReportSymbolication

/// Prepares reports to be shown: fills in frames and scrubs.
struct ReportPipeline {
  let symbolicator: ReportSymbolicator
  let context: ReportContext
  let scrubs: Bool
  /// Keeps what was decoded for the next time: for the end of a command, when all is shown.
  let saveIndex: () -> Void

  /// The report with its frames filled in, and scrubbed if the user wants that.
  func prepared(_ report: CrashReport) -> VerifiedReport {
    let progress = SymbolicationProgress()
    let ticker = Self.tell(progress)
    var verified = symbolicator.verified(report, progress: progress)
    ticker?.cancel()
    if scrubs { verified.report = verified.report.scrubbed() }
    return verified
  }

  /// Prints on a terminal how far symbolication is, every second from the first on; in a log it would be in the way.
  private static func tell(_ progress: SymbolicationProgress) -> (any DispatchSourceTimer)? {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler {
      let (done, total) = progress.images
      Output.note("symbolicating: \(done) of \(total) images done")
    }
    timer.activate()
    return timer
  }
}
