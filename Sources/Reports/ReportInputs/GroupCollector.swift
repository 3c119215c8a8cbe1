import CrashReportModel
import CrashReportReading
import ReportGrouping
import ReportSymbolication
import Synchronization

/// Reads many reports, a few at a time, and keeps the data for their groups.
public final class GroupCollector: Sendable {
  /// The result for one piece of the input.
  private enum Outcome: Sendable {
    case summary(ReportSummary)
    case skipped(String, ReadingError)
    /// The report is not within the time limit.
    case tooOld
  }

  /// The program prints at most this many failures.
  private static let mostSkipped = 1000

  private let symbolicator: ReportSymbolicator
  private let limit: TimeLimit?
  private let collected = Mutex((grouped: GroupedReports(), status: Int32(0)))

  /// - Parameters:
  ///   - symbolicator: Symbolicates the stacks from which fingerprints are made.
  ///   - limit: The earliest time of reports; `nil` means all reports.
  public init(_ symbolicator: ReportSymbolicator, limit: TimeLimit?) {
    self.symbolicator = symbolicator
    self.limit = limit
  }

  /// The groups so far.
  public var grouped: GroupedReports { collected.withLock { $0.grouped } }
  /// The exit status of the first failure, or 0.
  public var status: Int32 { collected.withLock { $0.status } }

  /// Reads all files and returns when all is done.
  public func collect(_ files: ReportFiles, _ feed: ReportFeed) {
    feed.read(files) { place, found -> Outcome in
      switch found {
      case .success(let report): self.outcome(of: report, source: place.text)
      case .failure(let error): .skipped(place.text, error)
      }
    } handOn: {
      self.keep($0)
    }
  }

  private func outcome(of report: CrashReport, source: String) -> Outcome {
    if let limit, !limit.contains(report.timestamp) { return .tooOld }
    let summary = symbolicator.summary(of: report)
    return .summary(
      ReportSummary(
        report, summary.fingerprint, test: summary.test, isSymbolicated: summary.isComplete, source: source))
  }

  private func keep(_ outcome: Outcome) {
    collected.withLock { state in
      switch outcome {
      case .summary(let summary): state.grouped.groups.add(summary)
      case .tooOld: state.grouped.tooOld += 1
      case .skipped(let source, let error):
        state.grouped.skippedCount += 1
        if state.grouped.skipped.count < Self.mostSkipped { state.grouped.skipped.append((source, error.what)) }
        if state.status == 0 { state.status = error.status }
      }
    }
  }
}
