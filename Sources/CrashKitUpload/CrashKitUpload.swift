#if CrashKitUpload
  import CrashKit
  import ReportSending
  import ServiceLifecycle

  /// Sends stored reports from within the program: those of its earlier runs, and what it writes while it runs.
  ///
  /// As a service of a group it sends beside the others, and ends with them:
  ///
  /// ```swift
  /// let upload = try CrashKitUpload(.init(to: "sentry"))
  /// let group = ServiceGroup(services: [upload, server], gracefulShutdownSignals: [.sigterm], logger: logger)
  /// ```
  ///
  /// It does what `crashsym send` does, with the same note of what was sent. Symbols are not looked up. If no destination is
  /// given, by the program or by the environment variable `CRASHKIT_UPLOAD`, it sends nothing.
  public struct CrashKitUpload: Service {
    private let plan: UploadPlan?
    private let limit: Duration

    /// Reads the destination's place and its secrets. Nothing is sent before ``run()`` or ``sendStoredReports()``.
    ///
    /// - Parameters:
    ///   - configuration: What is sent, and where to.
    ///   - limit: How long a shutdown waits for the request under way.
    /// - Throws: ``ConfigurationError`` if there is no such destination, or if its place cannot be read.
    public init(
      _ configuration: Configuration = .init(), waitingAtMost limit: Duration = .seconds(1)
    ) throws(ConfigurationError) {
      plan = try UploadPlan(configuration)
      self.limit = limit
    }

    /// Sends what is new, and each report as it is written, until the group shuts down or the task is cancelled.
    ///
    /// A shutdown gives the request under way the time that ``init(_:waitingAtMost:)`` was given, and then gives it up: the
    /// report is sent again at the next start, under the same id.
    public func run() async throws {
      let uploading = plan.flatMap { Uploading($0, follows: true) }
      try? await gracefulShutdown()
      await uploading?.stop(within: limit)
    }

    /// Sends what is new, once, and returns after that. For `CrashKit.Configuration.onPreviousCrash`, whose thread may
    /// wait; not for the main thread, nor for a task of Swift's.
    public func sendStoredReports() { plan.flatMap { Uploading($0, follows: false) }?.wait() }
  }
#else
  @available(*, unavailable, message: "CrashKitUpload's trait is off: see Docs/packages.md")
  public struct CrashKitUpload {}
#endif
