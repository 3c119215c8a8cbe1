extension Watcher {
  /// What is measured: a name, as it appears in events, journals and crash reports, and a unit.
  ///
  /// The list of Watcher's own metrics stands below. `Docs/contributing.md` lists what else a new one touches.
  public struct Metric: Sendable, Hashable, CustomStringConvertible {
    /// The unit that a reading is in.
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

    /// A metric by its name and unit. Reports and dashboards show the name.
    public init(_ name: String, unit: Unit) {
      self.name = name
      self.unit = unit
    }

    /// The metric's name.
    public var description: String { name }

    /// The nominal side of its threshold, if its manager is not given one.
    var nominalRange: ThresholdRange { self == .batteryLevel ? .upper : .lower }

    /// The part of all processors' time that anybody used.
    public static let cpuLoad = Metric("cpu.load", unit: .ratio)
    /// The part of all processors' time that this process used.
    public static let processCPULoad = Metric("process.cpu.load", unit: .ratio)
    /// The part of the processor time that its control group allows, used by all in the group.
    public static let containerCPULoad = Metric("container.cpu.load", unit: .ratio)
    /// The part of the machine's memory that is not available.
    public static let memoryLoad = Metric("memory.load", unit: .ratio)
    /// What of this process is in memory.
    public static let processMemory = Metric("process.memory", unit: .bytes)
    /// The part of the memory that this process may use at most (the machine's, or its control group's limit) that is used.
    public static let memoryLimitLoad = Metric("memory.limit.load", unit: .ratio)
    /// How full the battery is.
    public static let batteryLevel = Metric("battery.level", unit: .ratio)
    /// The part of a file system that is used.
    public static let diskSpace = Metric("disk.space", unit: .ratio)
    /// What this process reads from disks.
    public static let diskReads = Metric("disk.reads", unit: .bytesPerSecond)
    /// What this process has written to disks.
    public static let diskWrites = Metric("disk.writes", unit: .bytesPerSecond)
    /// What the machine's network interfaces receive, loopback left out.
    public static let networkReceived = Metric("network.received", unit: .bytesPerSecond)
    /// What the machine's network interfaces send, loopback left out.
    public static let networkSent = Metric("network.sent", unit: .bytesPerSecond)
    /// The part of the time in which something waited for a processor.
    public static let cpuPressure = Metric("pressure.cpu", unit: .ratio)
    /// The part of the time in which something waited for memory.
    public static let memoryPressure = Metric("pressure.memory", unit: .ratio)
    /// The part of the time in which something waited for input or output.
    public static let ioPressure = Metric("pressure.io", unit: .ratio)
    /// From this process's start to the end of its launch.
    public static let launchTime = Metric("launch.time", unit: .seconds)
  }
}
