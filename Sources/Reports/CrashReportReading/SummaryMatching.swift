import CrashReportModel

/// Finds the summaries of a log that belong to reports of the same log.
///
/// A process writes its summary after its report. Process ids alone do not match them: in a container every run is
/// process 1.
enum SummaryMatching {
  /// The reports, and the summaries that stand for themselves. Reports whose stacks were cut off take that of theirs.
  ///
  /// - Parameter reports: In the order in which they stand in the log.
  static func merge(_ reports: [FoundReport], with summaries: [FoundReport]) -> [FoundReport] {
    var reports = reports
    var own: Set<Int> = []
    // By process: the report that still waits for its summary, and the summary that no report came before.
    var waiting: [Key: Int] = [:]
    var unclaimed: [Key: Int] = [:]
    // By report: the summary just before it, which is its own where none follows.
    var before: [Int: Int] = [:]
    var next = 0
    let order = summaries.indices.sorted { summaries[$0].offset < summaries[$1].offset }
    for index in order {
      while next < reports.count, reports[next].offset < summaries[index].offset { begin(next) }
      guard let key = Key(summaries[index]) else { continue }
      guard let report = waiting.removeValue(forKey: key) else {
        unclaimed[key] = index
        continue
      }
      before[report] = nil
      own.insert(index)
      if reports[report].report.lacksStacks { reports[report].report.takeStack(from: summaries[index].report) }
    }
    while next < reports.count { begin(next) }
    own.formUnion(before.values)
    return reports + summaries.indices.filter { !own.contains($0) }.map { summaries[$0] }

    func begin(_ report: Int) {
      next += 1
      guard let key = Key(reports[report]) else { return }
      waiting[key] = report
      before[report] = unclaimed.removeValue(forKey: key)
    }
  }

  /// What a report and its summary have in common: a program that died did so after it printed its threads.
  private struct Key: Hashable {
    var pid: Int
    var isCapture: Bool

    init?(_ found: FoundReport) {
      guard let pid = found.pid else { return nil }
      self.pid = pid
      isCapture = found.report.kind == .capture
    }
  }
}

extension CrashReport {
  /// Whether the report was cut before its first frame.
  fileprivate var lacksStacks: Bool {
    let isCut = capture?.cutShort?.contains { $0.what == "report" } == true
    return isCut && !(threads ?? []).contains { $0.frames?.isEmpty == false }
  }

  /// Takes from a summary what the report lost: the stack with the images of its frames, and whatever else is missing.
  fileprivate mutating func takeStack(from summary: CrashReport) {
    threads = summary.threads
    images = summary.images
    signal = signal ?? summary.signal
    faultAddress = faultAddress ?? summary.faultAddress
    if cause == nil {
      cause = summary.cause
      causeCode = summary.causeCode
    }
    message = message ?? summary.message
    process = process ?? summary.process
    noteCut(
      "report",
      "its stack is from the summary in the same log, which has only the top frames, with offsets into images instead of addresses"
    )
  }
}
