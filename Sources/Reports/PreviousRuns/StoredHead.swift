import CrashReportModel

/// The first part of a report's file: enough to show what happened, even if the file is large.
public struct StoredHead: Sendable {
  /// How many bytes of a file are read.
  private static let bytes = 16 << 10
  private static let limits = JSONParser.Limits(depth: 32, values: 4000)

  /// The part of the report that was read.
  public let report: CrashReport

  /// Reads the head of a file; `nil` if it is not a report.
  public static func read(_ file: OpenFile) -> StoredHead? {
    guard let outcome = try? JSONParser.parse(file.bytes(upTo: bytes), limits: limits) else { return nil }
    let report = CrashReport(fields: outcome.object)
    guard report.schema?.hasPrefix("crashkit/") == true else { return nil }
    return StoredHead(report: report)
  }
}
