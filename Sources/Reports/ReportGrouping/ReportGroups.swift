import CrashReportModel

/// Collects reports by their fingerprint. Its memory grows with the number of different faults, not with the number of
/// reports.
public struct ReportGroups: Sendable {
  private var byFingerprint: [String: ReportGroup] = [:]
  /// How many reports were added.
  public private(set) var count = 0

  /// Starts without reports.
  public init() {}

  /// Adds a report.
  public mutating func add(_ summary: ReportSummary) {
    guard let value = summary.fingerprint.value else { return }
    count += 1
    if byFingerprint[value] == nil {
      byFingerprint[value] = ReportGroup(summary)
    } else {
      byFingerprint[value]?.add(summary)
    }
  }

  /// The groups, the largest first. Of two groups with the same number of reports, the group that was seen last comes
  /// first.
  public var sorted: [ReportGroup] {
    byFingerprint.values.sorted { left, right in
      if left.count != right.count { return left.count > right.count }
      let times = (left.lastSeen?.microseconds ?? .min, right.lastSeen?.microseconds ?? .min)
      if times.0 != times.1 { return times.0 > times.1 }
      return left.fingerprint.value ?? "" < right.fingerprint.value ?? ""
    }
  }
}
