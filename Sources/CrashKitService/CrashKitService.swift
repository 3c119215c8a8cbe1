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
  /// While the service runs, it passes stored reports to your closure, watches for hangs, and counts reports with
  /// swift-metrics. List it first: a group stops its services from the last to the first, so this service also sees
  /// hangs while the others shut down.
  public struct CrashKitService: Service {
    private let directory: String?
    private let counted: CountedReports?
    private let factory: (any MetricsFactory)?
    private let interval: Duration
    private let limit: Duration
    private let handOver: (@Sendable (CrashKit.StoredReport) async throws -> Void)?
    private let detectors: @Sendable () -> [CrashKit.HangDetector?]

    /// Installs CrashKit, unless the program has already installed it. So a crash before ``run()`` leaves a report too.
    ///
    /// - Parameters:
    ///   - configuration: The configuration for the installation. It has no effect if CrashKit is already installed.
    ///   - factory: Makes the counters. With `nil`, the service uses the factory that `MetricsSystem` has when
    ///     ``run()`` starts.
    ///   - interval: How often the service looks for reports to count.
    ///   - limit: How long a shutdown waits for a call of `handOver` that still runs.
    ///   - handOver: Gets each report that is not yet handled, oldest first, one after the other. If the closure
    ///     returns, the service marks the report as handled. If the closure throws, the service passes it the report
    ///     again at the next start. A shutdown cancels the closure's task. If the closure does not end within `limit`,
    ///     the shutdown continues, and the closure gets the report again at the next start. If the process dies while
    ///     the closure runs, the rules of `CrashKit.Configuration.onPreviousCrash` apply.
    ///   - detectors: Starts and returns hang detectors. The service stops them in the reverse order.
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
