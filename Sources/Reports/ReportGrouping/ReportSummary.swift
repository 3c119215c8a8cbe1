import CrashReportModel

/// The data that a group needs from a report.
public struct ReportSummary: Sendable {
  let fingerprint: CrashReport.Fingerprint
  let representative: ReportGroup.Representative
  let program: String?
  let version: String?
  let host: String?
  let test: String?

  /// When the report was made.
  public var timestamp: Timestamp? { representative.timestamp }

  /// - Parameters:
  ///   - report: The report.
  ///   - fingerprint: Its fingerprint.
  ///   - test: The test that it is about.
  ///   - isSymbolicated: Whether all functions and lines of the fingerprint's stack are known.
  ///   - source: Where the report is, for people.
  public init(
    _ report: CrashReport, _ fingerprint: CrashReport.Fingerprint, test: CrashReport.Test?, isSymbolicated: Bool,
    source: String
  ) {
    self.fingerprint = fingerprint
    self.test = test?.words
    representative = ReportGroup.Representative(
      source: source, timestamp: report.timestamp,
      isComplete: isSymbolicated && report.capture?.cutShort?.isEmpty ?? true)
    program = report.application?.name ?? report.process?.name
    version = report.application.flatMap { application in
      application.version.map { version in version + (application.build.map { " (build \($0))" } ?? "") }
    }
    host = report.hostName
  }
}
