extension Watcher {
  /// A metric: its unit, and its name in events, journals and crash reports.
  ///
  /// The list of Watcher's own metrics is below. If you add a metric to the list, make the other changes that
  /// `Docs/contributing.md` lists.
  public struct Metric: Sendable, Hashable, CustomStringConvertible {
    /// The unit of a reading.
    public enum Unit: String, Sendable, Hashable, Codable {
      /// A part of a whole, 0…1.
      case ratio
      /// Bytes.
      case bytes
      /// Bytes a second.
      case bytesPerSecond
      /// Seconds.
      case seconds
      /// A plain number.
      case count
    }

    /// A name in the style of `cpu.load`.
    public let name: String
    /// The unit of its readings.
    public let unit: Unit

    /// Makes a metric from its name and unit. Reports and dashboards show the name.
    public init(_ name: String, unit: Unit) {
      self.name = name
      self.unit = unit
    }

    /// The metric's name.
    public var description: String { name }

    /// The nominal side of its threshold, if its manager is not given one.
    var nominalRange: ThresholdRange { self == .batteryLevel ? .upper : .lower }

    /// The used share of all processors' time.
    public static let cpuLoad = Metric("cpu.load", unit: .ratio)
    /// The part of all processors' time that this process used.
    public static let processCPULoad = Metric("process.cpu.load", unit: .ratio)
    /// The processor time that all processes of this process's control group used, as a share of the time that the
    /// group may use.
    public static let containerCPULoad = Metric("container.cpu.load", unit: .ratio)
    /// The part of the machine's memory that is not available.
    public static let memoryLoad = Metric("memory.load", unit: .ratio)
    /// This process's resident memory.
    public static let processMemory = Metric("process.memory", unit: .bytes)
    /// The used share of this process's memory limit: the limit of its control groups, or the machine's memory if they
    /// have no lower limit.
    public static let memoryLimitLoad = Metric("memory.limit.load", unit: .ratio)
    /// How full the battery is.
    public static let batteryLevel = Metric("battery.level", unit: .ratio)
    /// The part of a file system that is used.
    public static let diskSpace = Metric("disk.space", unit: .ratio)
    /// Bytes that this process reads from disks in a second.
    public static let diskReads = Metric("disk.reads", unit: .bytesPerSecond)
    /// Bytes that this process writes to disks in a second.
    public static let diskWrites = Metric("disk.writes", unit: .bytesPerSecond)
    /// Bytes that the machine's network interfaces, without loopback, receive in a second.
    public static let networkReceived = Metric("network.received", unit: .bytesPerSecond)
    /// Bytes that the machine's network interfaces, without loopback, send in a second.
    public static let networkSent = Metric("network.sent", unit: .bytesPerSecond)
    /// The share of time in which tasks waited for a processor.
    public static let cpuPressure = Metric("pressure.cpu", unit: .ratio)
    /// The share of time in which tasks waited for memory.
    public static let memoryPressure = Metric("pressure.memory", unit: .ratio)
    /// The share of time in which tasks waited for input or output.
    public static let ioPressure = Metric("pressure.io", unit: .ratio)
    /// The time from this process's start to the end of its launch.
    public static let launchTime = Metric("launch.time", unit: .seconds)
  }
}
