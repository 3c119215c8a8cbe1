extension Watcher {
  /// The load of all processors of the machine. No sample has a value on this system.
  public struct SystemCPULoad: PromptProvider {
    /// The metric.
    public let metric = Metric.cpuLoad

    /// Makes a provider that reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The share of all processors' time that this process used. No sample has a value on this system.
  public struct ProcessCPULoad: PromptProvider {
    /// The metric.
    public let metric = Metric.processCPULoad

    /// Makes a provider that reads nothing.
    public init() {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The processor time that this process's control group used, as a share of the time that the group may use. No
  /// sample has a value on this system.
  public struct ContainerCPULoad: PromptProvider {
    /// The metric.
    public let metric = Metric.containerCPULoad

    /// Makes a provider that reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The part of the machine's memory that is not available. No sample has a value on this system.
  public struct SystemMemoryLoad: PromptProvider {
    /// The metric.
    public let metric = Metric.memoryLoad

    /// Makes a provider that reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// This process's resident memory. No sample has a value on this system.
  public struct ProcessMemory: PromptProvider {
    /// The metric.
    public let metric = Metric.processMemory

    /// Makes a provider that reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The used share of this process's memory limit. No sample has a value on this system.
  public struct MemoryLimitLoad: PromptProvider {
    /// The metric.
    public let metric = Metric.memoryLimitLoad

    /// Makes a provider that reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// How full the machine's battery is. No sample has a value on this system.
  public struct BatteryLevel: PromptProvider {
    /// The metric.
    public let metric = Metric.batteryLevel

    /// Makes a provider that reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// How full the file system of a folder is. No sample has a value on this system.
  public struct DiskSpace: PromptProvider {
    /// The metric.
    public let metric = Metric.diskSpace

    /// Makes a provider that reads nothing.
    public init(folder: String = "/") {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The bytes that this process reads from disks, or writes to disks, in a second. No sample has a value on this
  /// system.
  public struct DiskActivity: PromptProvider {
    /// The metric.
    public let metric: Metric

    /// The bytes that this process reads from disks in a second.
    public static func reads(root: SystemRoot = .machine) -> DiskActivity { DiskActivity(metric: .diskReads) }

    /// The bytes that this process writes to disks in a second.
    public static func writes(root: SystemRoot = .machine) -> DiskActivity { DiskActivity(metric: .diskWrites) }

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The bytes that the network interfaces receive, or send, in a second. No sample has a value on this system.
  public struct NetworkActivity: PromptProvider {
    /// The metric.
    public let metric: Metric

    /// The bytes that the network interfaces receive in a second.
    public static func received(root: SystemRoot = .machine) -> NetworkActivity {
      NetworkActivity(metric: .networkReceived)
    }

    /// The bytes that the network interfaces send in a second.
    public static func sent(root: SystemRoot = .machine) -> NetworkActivity { NetworkActivity(metric: .networkSent) }

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The share of time in which tasks waited for a scarce resource. No sample has a value on this system.
  public struct PressureStall: PromptProvider {
    /// The metric.
    public let metric: Metric

    /// The share of time in which tasks waited for a processor.
    public static func cpu(root: SystemRoot = .machine) -> PressureStall { PressureStall(metric: .cpuPressure) }

    /// The share of time in which tasks waited for memory.
    public static func memory(root: SystemRoot = .machine) -> PressureStall { PressureStall(metric: .memoryPressure) }

    /// The share of time in which tasks waited for input or output.
    public static func io(root: SystemRoot = .machine) -> PressureStall { PressureStall(metric: .ioPressure) }

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// How long the launch took. No sample has a value on this system.
  public final class LaunchTime: PromptProvider {
    /// The metric.
    public let metric = Metric.launchTime

    /// Makes a provider that reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Does nothing.
    public func finish() {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }
}
