extension Watcher {
  /// What there is to know of the program and the machine at a glance.
  public struct Statistics: Sendable, Hashable {
    /// The program's name and version, as it told them, or the file's name.
    public var applicationName: String
    /// The version of the program, if it gave one.
    public var applicationVersion: String?
    /// Who made the machine, and its model, as its firmware says; `nil` in most containers.
    public var deviceMake: String?
    /// The machine's model; `nil` in most containers.
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
}
