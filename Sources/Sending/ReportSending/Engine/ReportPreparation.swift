import CrashReportModel

/// The changes to a report before it leaves the host.
public struct ReportPreparation: Sendable {
  /// Returns the fingerprint of a report. For most reports of a crash loop, only this function is called.
  public var fingerprint: @Sendable (CrashReport) -> CrashReport.Fingerprint
  /// Returns the report to send: symbolicated, and scrubbed unless the user turned that off.
  public var prepared: @Sendable (CrashReport) -> CrashReport

  public init(
    fingerprint: @escaping @Sendable (CrashReport) -> CrashReport.Fingerprint,
    prepared: @escaping @Sendable (CrashReport) -> CrashReport
  ) {
    self.fingerprint = fingerprint
    self.prepared = prepared
  }
}
