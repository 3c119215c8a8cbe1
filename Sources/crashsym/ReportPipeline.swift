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

  /// The report in the format asked for, with its line end; empty where there is nothing of it to show in that format.
  func render(_ report: CrashReport, as format: ReportFormat) -> String { show([prepared(report)], as: format) }

  /// The report with its frames filled in, and scrubbed where asked for.
  func prepared(_ report: CrashReport) -> VerifiedReport {
    let progress = SymbolicationProgress()
    let ticker = Self.tell(progress)
    var verified = symbolicator.verified(report, progress: progress)
    ticker?.cancel()
    if scrubs { verified.report = verified.report.scrubbed() }
    return verified
  }

  /// Prepared reports in a format, with a line end; SARIF is one file for all of them.
  func show(_ reports: [VerifiedReport], as format: ReportFormat) -> String {
    let sources = view.options.sources
    if format == .sarif {
      return SarifFile.text(of: reports.map(\.report), version: Crashsym.version, sources: sources) + "\n"
    }
    return reports.map { verified in
      let report = verified.report
      return switch format {
      case .text: view.text(of: verified)
      case .json: report.json.text + "\n"
      case .collapsed: CollapsedStacks.text(of: report)
      case .speedscope: SpeedscopeFile.text(of: report) + "\n"
      case .dot: LockGraph.text(of: report, sources: sources) ?? ""
      case .github: WorkflowCommands.text(of: report, sources: sources)
      case .sarif: ""
      }
    }.joined()
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
