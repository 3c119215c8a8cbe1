import CrashReportModel
import Glibc
import ProgramRunner

/// The record of a variant's run, before it is judged.
public struct VariantRecord: Sendable {
  public let stressCase: StressCase
  public var folder: VariantFolder?
  public var end = VariantEnd.finished
  /// Every report, symbolicated, oldest first. If the variant ran to its end, the last of them is ``lastState``.
  public var reports: [FoundReport] = []
  public var footprint: Footprint?
  /// Seconds from the start of the process to its end.
  public var seconds = 0.0

  public init(stressCase: StressCase) { self.stressCase = stressCase }

  /// All reports that are about a finding: all except reports of the last state.
  public var findings: [FoundReport] { reports.filter { !$0.isLastState } }
  /// The report that the process wrote when its work was done. It has the last breadcrumbs and metrics.
  public var lastState: FoundReport? { reports.last { $0.isLastState } }
}

/// A report and its file.
public struct FoundReport: Sendable {
  public let path: String
  public var report: CrashReport
  /// The locations whose source lines may be printed.
  public let locations: VerifiedLocations

  public init(path: String, report: CrashReport, locations: VerifiedLocations = VerifiedLocations()) {
    self.path = path
    self.report = report
    self.locations = locations
  }

  /// The report as a view takes it.
  var verified: VerifiedReport { VerifiedReport(report: report, locations: locations) }

  init(path: String, _ verified: VerifiedReport) {
    self.init(path: path, report: verified.report, locations: verified.locations)
  }

  /// The report's kind. If the report names a broken rule or a signal, a slash and the name of the rule or signal
  /// follow the kind, as in `nan/nan-born` or `crashReport/SIGILL`.
  public var rule: String {
    let kind = report.kind?.rawValue ?? "report"
    return (report.violation?.code ?? report.signal?.name).map { "\(kind)/\($0)" } ?? kind
  }

  /// Whether it was made by ``VariantHost`` of a run that came to its end.
  var isLastState: Bool { report.kind == .capture && report.description == VariantHost.lastWords }
}

/// How a variant's process ended.
public enum VariantEnd: Sendable, Hashable, CustomStringConvertible {
  /// It exited with status 0.
  case finished
  /// It exited with another status.
  case exited(Int32)
  case killed(signal: Int32)
  /// The stress run ended it, because all planted mistakes had been reported.
  case endedOnceFound
  /// The stress run ended it, because it still ran long after its time.
  case outOfTime
  /// The stress run ended it, because the user ended the whole run.
  case interrupted
  case notStarted(String)

  init(_ end: ProgramEnd) {
    switch end {
    case .exited(let status): self = .exited(status)
    case .killed(let signal): self = .killed(signal: signal)
    }
  }

  public var description: String {
    switch self {
    case .finished: "ended with status 0"
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .endedOnceFound: "was ended by the stress run after all planted mistakes were reported"
    case .outOfTime: "did not end in time"
    case .interrupted: "was interrupted"
    case .notStarted(let why): "was not started: \(why)"
    }
  }
}
