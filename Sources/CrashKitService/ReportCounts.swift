#if CrashKitService
  import CoreMetrics
  import CrashReportModel

  /// Counts the reports of a folder by their kinds, each once.
  struct ReportCounts: Sendable {
    private static let kinds = [
      "crashkit.crashes": ["crashReport"],
      "crashkit.unclean_exits": ["uncleanExit"],
      "crashkit.hangs": ["hang", "starvedPool", "stuckTask", "leakedContinuation"],
      "crashkit.violations": [
        "lockOrderInversion", "deadlock", "lockMisuse", "mainQueueViolation", "dataRace", "nan",
      ],
    ]

    private let reports: CountedReports?
    private let counters: [String: Counter]

    /// Makes the counters, which begin with 0.
    init(_ reports: CountedReports?, by factory: any MetricsFactory) {
      self.reports = reports
      counters = Self.kinds.reduce(into: [:]) { counters, entry in
        for kind in entry.value {
          counters[kind] = Counter(label: entry.key, dimensions: [("kind", kind)], factory: factory)
        }
      }
    }

    /// Counts all reports that were not yet counted.
    func look() {
      for name in reports?.uncounted() ?? [] { count(name) }
    }

    /// Counts a report, unless that was done by this process or another.
    func count(_ name: String) {
      guard let kind = ReportName(name)?.kind, let counter = counters[kind] else { return }
      if reports?.take(name) == true { counter.increment() }
    }
  }
#endif
