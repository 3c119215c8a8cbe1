extension Watcher {
  /// Gathers ``Statistics``: on this system, what the program gives.
  public struct StatisticsSource: Sendable {
    private let name: String
    private let version: String?

    /// - Parameters:
    ///   - applicationName: The program's name; that of its file unless said.
    ///   - applicationVersion: Its version.
    ///   - times: Left alone.
    ///   - root: Left alone.
    public init(
      applicationName: String? = nil, applicationVersion: String? = nil, times: ResponseTimes? = nil,
      root: SystemRoot = .machine
    ) {
      name = applicationName ?? CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
      version = applicationVersion
    }

    /// The program's name and version.
    public var now: Statistics { Statistics(applicationName: name, applicationVersion: version, system: "") }

    /// ``now``, once. The stream ends when the task that listens is cancelled.
    public func updates(every seconds: Double) -> AsyncStream<Statistics> {
      AsyncStream { $0.yield(now) }
    }
  }
}
