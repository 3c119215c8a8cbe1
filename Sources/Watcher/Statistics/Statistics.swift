extension Watcher {
  /// A summary of the program and the machine.
  public struct Statistics: Sendable, Hashable {
    /// The name that the program passed to ``StatisticsSource``; by default the name of the program's file.
    public var applicationName: String
    /// The version that the program passed to ``StatisticsSource``; `nil` if it passed none.
    public var applicationVersion: String?
    /// The machine's manufacturer, from its firmware; `nil` in most containers.
    public var deviceMake: String?
    /// The machine's model; `nil` in most containers.
    public var deviceModel: String?
    /// The system's name and version, from os-release(5).
    public var system: String
    /// The program's resident memory, in bytes; `nil` if the kernel does not report it.
    public var memoryInUse: UInt64?
    /// The figures of each endpoint, by name.
    public var endpoints: [ResponseTimes.Endpoint]

    /// Makes a summary from given values, for example for a preview. ``StatisticsSource`` gathers real ones.
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
}
