#if CrashKitUpload
  import CrashKit
  import ReportSending
  import ServiceLifecycle

  /// Sends stored reports from within the program: reports of the program's earlier runs, and reports that the program
  /// writes during this run.
  ///
  /// As a service of a group, it runs together with the other services and ends with them:
  ///
  /// ```swift
  /// let upload = try CrashKitUpload(.init(to: "sentry"))
  /// let group = ServiceGroup(services: [upload, server], gracefulShutdownSignals: [.sigterm], logger: logger)
  /// ```
  ///
  /// CrashKitUpload works like `crashsym send`, and uses the same record of sent reports, but it does not look up
  /// symbols. If neither the program nor the environment variable `CRASHKIT_UPLOAD` names a destination, it sends
  /// nothing.
  public struct CrashKitUpload: Service {
    private let plan: UploadPlan?
    private let limit: Duration

    /// Reads the destination's address and its secrets. Nothing is sent before ``run()`` or ``sendStoredReports()``.
    ///
    /// - Parameters:
    ///   - configuration: What to send, and where.
    ///   - limit: How long a shutdown waits for the current request.
    /// - Throws: ``ConfigurationError`` if the destination is unknown, or if its address cannot be read.
    public init(
      _ configuration: Configuration = .init(), waitingAtMost limit: Duration = .seconds(1)
    ) throws(ConfigurationError) {
      plan = try UploadPlan(configuration)
      self.limit = limit
    }

    /// Sends the new reports, and each later report when it is written, until the group shuts down or the task is
    /// cancelled.
    ///
    /// A shutdown waits for the current request, at most for the time limit of ``init(_:waitingAtMost:)``. It then
    /// cancels the request. At the next start, the program sends the report of the cancelled request again, with the
    /// same id.
    public func run() async throws {
      let uploading = plan.flatMap { Uploading($0, follows: true) }
      try? await gracefulShutdown()
      await uploading?.stop(within: limit)
    }

    /// Sends the new reports and returns. It does not wait for later reports. Call it from
    /// `CrashKit.Configuration.onPreviousCrash`, whose thread may wait. Do not call it on the main thread or in a Swift
    /// task, because it blocks.
    public func sendStoredReports() { plan.flatMap { Uploading($0, follows: false) }?.wait() }
  }
#else
  @available(*, unavailable, message: "CrashKitUpload's trait is off: see Docs/packages.md")
  public struct CrashKitUpload {}
#endif
