import CrashReportModel

/// How much of one report is kept: more is no report that a program made, and all that follows would take its time.
enum ReportLimits {
  static let threads = 65_536
  /// In all threads together; a thread of CrashKit's has 384 at most before symbolication.
  static let frames = 500_000
  static let images = 8_192
}

extension CrashReport {
  /// The report without what is beyond the limits, which `capture.cutShort` then says.
  func limited() -> CrashReport {
    var report = self
    if case .array(let images)? = fields["images"], images.count > ReportLimits.images {
      report.fields["images"] = .array(Array(images.prefix(ReportLimits.images)))
      report.noteCut("images", "it has \(images.count) images; crashsym reads at most \(ReportLimits.images)")
    }
    guard case .array(let threads)? = fields["threads"] else { return report }
    var budget = ReportLimits.frames
    var kept = 0
    for thread in threads.prefix(ReportLimits.threads) {
      if case .object(let object) = thread, case .array(let frames)? = object["frames"] { budget -= frames.count }
      guard budget >= 0 else { break }
      kept += 1
    }
    guard kept < threads.count else { return report }
    report.fields["threads"] = .array(Array(threads.prefix(kept)))
    let why = budget < 0 ? "\(ReportLimits.frames) frames" : "\(ReportLimits.threads) threads"
    report.noteCut("threads", "it has \(threads.count) threads; no more than \(why) are read")
    return report
  }
}
