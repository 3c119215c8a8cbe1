import Glibc

extension Watcher {
  /// What there is to know of the program and the machine at a glance.
  public struct Statistics: Sendable, Hashable {
    /// The program's name and version, as it told them, or the file's name.
    public var applicationName: String
    public var applicationVersion: String?
    /// Who made the machine, and its model, as its firmware says; `nil` in most containers.
    public var deviceMake: String?
    public var deviceModel: String?
    /// The system's name and version, from os-release(5).
    public var system: String
    /// What of the program is in memory, in bytes; `nil` where the kernel does not tell.
    public var memoryInUse: UInt64?
    /// What is known of each endpoint, by name.
    public var endpoints: [ResponseTimes.Endpoint]

    /// Takes in what is known, as for a preview; ``StatisticsSource`` finds it out.
    public init(
      applicationName: String, applicationVersion: String? = nil, deviceMake: String? = nil, deviceModel: String? = nil,
      system: String, memoryInUse: UInt64? = nil, endpoints: [ResponseTimes.Endpoint] = []
    ) {
      self.applicationName = applicationName
      self.applicationVersion = applicationVersion
      self.deviceMake = deviceMake
      self.deviceModel = deviceModel
      self.system = system
      self.memoryInUse = memoryInUse
      self.endpoints = endpoints
    }
  }

  /// Gathers ``Statistics``. May be used from any thread.
  public struct StatisticsSource: Sendable {
    private let root: SystemRoot
    private let name: String
    private let version: String?
    private let times: ResponseTimes?

    /// - Parameters:
    ///   - applicationName: The program's name; that of its file unless said.
    ///   - applicationVersion: Its version.
    ///   - times: Where its API calls are recorded.
    ///   - root: Where `/proc`, `/sys` and `/etc` are.
    public init(
      applicationName: String? = nil, applicationVersion: String? = nil, times: ResponseTimes? = nil,
      root: SystemRoot = .machine
    ) {
      self.root = root
      name = applicationName ?? CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
      version = applicationVersion
      self.times = times
    }

    /// What there is to know now.
    public var now: Statistics {
      Statistics(
        applicationName: name, applicationVersion: version, deviceMake: firmware("sys_vendor"),
        deviceModel: firmware("product_name"), system: system, memoryInUse: try? residentBytes(root),
        endpoints: times?.endpoints ?? [])
    }

    /// What there is to know now, and again every so many seconds; the newest waits for its listener.
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
