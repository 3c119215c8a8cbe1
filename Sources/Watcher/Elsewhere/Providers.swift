extension Watcher {
  /// The load of all processors of the machine. No sample has a value on this system.
  public struct SystemCPULoad: PromptProvider {
    /// What is measured.
    public let metric = Metric.cpuLoad

    /// Reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// What this process used of all processors' time. No sample has a value on this system.
  public struct ProcessCPULoad: PromptProvider {
    /// What is measured.
    public let metric = Metric.processCPULoad

    /// Reads nothing.
    public init() {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// What this process's control group used of its processor time. No sample has a value on this system.
  public struct ContainerCPULoad: PromptProvider {
    /// What is measured.
    public let metric = Metric.containerCPULoad

    /// Reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The part of the machine's memory that is not available. No sample has a value on this system.
  public struct SystemMemoryLoad: PromptProvider {
    /// What is measured.
    public let metric = Metric.memoryLoad

    /// Reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// What of this process is in memory. No sample has a value on this system.
  public struct ProcessMemory: PromptProvider {
    /// What is measured.
    public let metric = Metric.processMemory

    /// Reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// How near this process is to the end of what it may use. No sample has a value on this system.
  public struct MemoryLimitLoad: PromptProvider {
    /// What is measured.
    public let metric = Metric.memoryLimitLoad

    /// Reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// How full the machine's battery is. No sample has a value on this system.
  public struct BatteryLevel: PromptProvider {
    /// What is measured.
    public let metric = Metric.batteryLevel

    /// Reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// How full the file system of a folder is. No sample has a value on this system.
  public struct DiskSpace: PromptProvider {
    /// What is measured.
    public let metric = Metric.diskSpace

    /// Reads nothing.
    public init(folder: String = "/") {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// What this process reads from disks or has written to them. No sample has a value on this system.
  public struct DiskActivity: PromptProvider {
    /// What is measured.
    public let metric: Metric

    /// What is read from disks.
    public static func reads(root: SystemRoot = .machine) -> DiskActivity { DiskActivity(metric: .diskReads) }

    /// What is written to disks.
    public static func writes(root: SystemRoot = .machine) -> DiskActivity { DiskActivity(metric: .diskWrites) }

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// What the network interfaces receive or send. No sample has a value on this system.
  public struct NetworkActivity: PromptProvider {
    /// What is measured.
    public let metric: Metric

    /// What is received.
    public static func received(root: SystemRoot = .machine) -> NetworkActivity {
      NetworkActivity(metric: .networkReceived)
    }

    /// What is sent.
    public static func sent(root: SystemRoot = .machine) -> NetworkActivity { NetworkActivity(metric: .networkSent) }

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// The part of the time in which something waited. No sample has a value on this system.
  public struct PressureStall: PromptProvider {
    /// What is measured.
    public let metric: Metric

    /// Waiting for a processor.
    public static func cpu(root: SystemRoot = .machine) -> PressureStall { PressureStall(metric: .cpuPressure) }

    /// Waiting for memory.
    public static func memory(root: SystemRoot = .machine) -> PressureStall { PressureStall(metric: .memoryPressure) }

    /// Waiting for input or output.
    public static func io(root: SystemRoot = .machine) -> PressureStall { PressureStall(metric: .ioPressure) }

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }

  /// How long the launch took. No sample has a value on this system.
  public final class LaunchTime: PromptProvider {
    /// What is measured.
    public let metric = Metric.launchTime

    /// Reads nothing.
    public init(root: SystemRoot = .machine) {}

    /// Does nothing.
    public func finish() {}

    /// Takes a sample without a value.
    public func sample() -> Sample { nothing }
  }
}
