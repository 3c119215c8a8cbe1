import CrashReportModel

/// What happens to a report before it leaves the host.
public struct ReportPreparation: Sendable {
  /// What groups it with others. Of most reports of a crash loop no more is needed.
  public var fingerprint: @Sendable (CrashReport) -> CrashReport.Fingerprint
  /// The report with its frames filled in, and scrubbed unless the user wants it whole.
  public var prepared: @Sendable (CrashReport) -> CrashReport

  public init(
    fingerprint: @escaping @Sendable (CrashReport) -> CrashReport.Fingerprint,
    prepared: @escaping @Sendable (CrashReport) -> CrashReport
  ) {
    self.fingerprint = fingerprint
    self.prepared = prepared
  }
}
