import CrashReportModel
import CrashReportView
import Dispatch
import Glibc
import ReportSymbolication

/// The way of a report from the reader to the reader's eyes.
struct ReportPipeline {
  let symbolicator: ReportSymbolicator
  let view: TextReport
  let scrubs: Bool
  /// Keeps what was decoded for the next time: for the end of a command, when all is shown.
  let saveIndex: () -> Void

  /// The report in the format asked for, with its line end.
  func render(_ report: CrashReport, as format: ReportFormat) -> String {
    let progress = SymbolicationProgress()
    let ticker = Self.tell(progress)
    var report = symbolicator.symbolicate(report, progress: progress)
    ticker?.cancel()
    if scrubs { report = report.scrubbed() }
    return switch format {
    case .text: view.text(of: report)
    case .json: report.json.text + "\n"
    case .collapsed: CollapsedStacks.text(of: report)
    case .speedscope: SpeedscopeFile.text(of: report) + "\n"
    }
  }

  /// Says on a terminal how far symbolication is, every second from the first on; in a log it would be in the way.
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
