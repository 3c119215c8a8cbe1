extension Watcher {
  /// Gathers ``Statistics``: on this system, only the program's own values.
  public struct StatisticsSource: Sendable {
    private let name: String
    private let version: String?

    /// - Parameters:
    ///   - applicationName: The program's name; by default the name of its file.
    ///   - applicationVersion: Its version.
    ///   - times: Not used.
    ///   - root: Not used.
    public init(
      applicationName: String? = nil, applicationVersion: String? = nil, times: ResponseTimes? = nil,
      root: SystemRoot = .machine
    ) {
      name = applicationName ?? CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
      version = applicationVersion
    }

    /// The program's name and version.
    public var now: Statistics { Statistics(applicationName: name, applicationVersion: version, system: "") }

    /// A stream whose only element is the value of ``now``. It ends when the task that listens is cancelled.
    public func updates(every seconds: Double) -> AsyncStream<Statistics> {
      AsyncStream { $0.yield(now) }
    }
  }
}
