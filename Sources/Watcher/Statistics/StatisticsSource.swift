extension Watcher {
  /// Gathers ``Statistics``. You may use it from any thread.
  public struct StatisticsSource: Sendable {
    private let root: SystemRoot
    private let name: String
    private let version: String?
    private let times: ResponseTimes?

    /// - Parameters:
    ///   - applicationName: The program's name; by default the name of its file.
    ///   - applicationVersion: Its version.
    ///   - times: The record of its API calls.
    ///   - root: The folder that contains `/proc`, `/sys` and `/etc`.
    public init(
      applicationName: String? = nil, applicationVersion: String? = nil, times: ResponseTimes? = nil,
      root: SystemRoot = .machine
    ) {
      self.root = root
      name = applicationName ?? CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
      version = applicationVersion
      self.times = times
    }

    /// The current summary.
    public var now: Statistics {
      Statistics(
        applicationName: name, applicationVersion: version, deviceMake: firmware("sys_vendor"),
        deviceModel: firmware("product_name"), system: system, memoryInUse: try? residentBytes(root),
        endpoints: times?.endpoints ?? [])
    }

    /// Returns a stream that delivers the current summary at once, and then a new summary every `seconds` seconds. If a
    /// listener is slow, it gets only the newest summary.
    public func updates(every seconds: Double) -> AsyncStream<Statistics> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
        let pace = Duration.seconds(min(max(seconds.isFinite ? seconds : 1, 0.02), 86400))
        let task = Task {
          while !Task.isCancelled {
            listener.yield(now)
            try? await Task.sleep(for: pace)
          }
        }
        listener.onTermination = { _ in task.cancel() }
      }
    }

    private func firmware(_ file: String) -> String? {
      guard let line = try? root.line("/sys/class/dmi/id/\(file)"), !line.isEmpty else { return nil }
      return line
    }

    private var system: String {
      for file in ["/etc/os-release", "/usr/lib/os-release"] {
        guard let text = try? root.text(file) else { continue }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("PRETTY_NAME=") }) else { continue }
        return line.dropFirst(12).filter { $0 != "\"" && $0 != "\r" }
      }
      return "Linux"
    }
  }
}
