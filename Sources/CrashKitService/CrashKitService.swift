#if CrashKitService
  import CoreMetrics
  import CrashKit
  import ServiceLifecycle

  /// CrashKit as a service of swift-service-lifecycle.
  ///
  /// ```swift
  /// let crashKit = try CrashKitService(configuration) { report in try await upload(report.data()) }
  /// let group = ServiceGroup(services: [crashKit, server], gracefulShutdownSignals: [.sigterm], logger: logger)
  /// ```
  ///
  /// While it runs, it hands stored reports over, watches for hangs, and counts reports by swift-metrics. List it first:
  /// a group stops its services from the last to the first, so hangs of the others' shutdown are seen too.
  public struct CrashKitService: Service {
    private let directory: String?
    private let counted: CountedReports?
    private let factory: (any MetricsFactory)?
    private let interval: Duration
    private let limit: Duration
    private let handOver: (@Sendable (CrashKit.StoredReport) async throws -> Void)?
    private let detectors: @Sendable () -> [CrashKit.HangDetector?]

    /// Installs CrashKit, unless the program has done so: a crash before ``run()`` leaves a report too.
    ///
    /// - Parameters:
    ///   - configuration: What CrashKit is installed with. Without effect if CrashKit is installed.
    ///   - factory: Makes the counters; `nil` is that of `MetricsSystem` when the service starts.
    ///   - interval: How often the service looks for reports to count.
    ///   - limit: How long a shutdown waits for a hand-over under way.
    ///   - handOver: Is given each report that was not yet handled, oldest first, one after the other. If it returns, the
    ///     report is marked as handled. If it throws, the report comes again at the next start. A shutdown cancels its
    ///     task. If it then does not end within `limit`, it is left behind, and the report comes again. What
    ///     `CrashKit.Configuration.onPreviousCrash` says of deaths in the closure goes for this one too.
    ///   - detectors: Starts hang detectors, in this order. The service stops them in reverse.
    /// - Throws: As `CrashKit.install(_:)`.
    public init(
      _ configuration: CrashKit.Configuration = .init(), metrics factory: (any MetricsFactory)? = nil,
      lookingEvery interval: Duration = .seconds(5), waitingAtMost limit: Duration = .seconds(1),
      handOver: (@Sendable (CrashKit.StoredReport) async throws -> Void)? = nil,
      detectors: @escaping @Sendable () -> [CrashKit.HangDetector?] = { [CrashKit.HangDetector.start()] }
    ) throws(CrashKit.InstallError) {
      directory = try CrashKit.install(configuration).directory
      counted = directory.flatMap { CountedReports(in: $0) }
      self.factory = factory
      self.interval = interval
      self.limit = limit
      self.handOver = handOver
      self.detectors = detectors
    }

    /// Runs until the group shuts down or the task is cancelled.
    public func run() async throws {
      let counts = ReportCounts(counted, by: factory ?? MetricsSystem.factory)
      counts.look()
      let handingOver = directory.flatMap { directory in
        handOver.map { HandingOver(from: directory, counts, to: $0) }
      }
      let running = detectors().compactMap { $0 }
      await withDiscardingTaskGroup { group in
        group.addTask { while (try? await Task.sleep(for: interval)) != nil { counts.look() } }
        try? await gracefulShutdown()
        group.cancelAll()
      }
      for detector in running.reversed() { detector.stop() }
      await handingOver?.stop(within: limit)
      counts.look()
    }
  }
#else
  @available(*, unavailable, message: "CrashKitService's trait is off: see Docs/packages.md")
  public struct CrashKitService {}
#endif
