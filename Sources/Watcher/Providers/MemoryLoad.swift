extension Watcher {
  /// The share of the machine's memory that is not available to programs, from `/proc/meminfo`.
  public struct SystemMemoryLoad: PromptProvider {
    /// The metric.
    public let metric = Metric.memoryLoad
    private let root: SystemRoot

    /// Makes a provider that reads the files of the machine, or the files below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Takes a sample now.
    public func sample() -> Sample {
      let look = MemoryInfo.shared(root)
      return Sample(level(of: metric) { () throws(Unavailability) in try look.result.get().load }, at: look.instant)
    }
  }

  /// This process's resident memory in bytes, from `/proc/self/statm`.
  public struct ProcessMemory: PromptProvider {
    /// The metric.
    public let metric = Metric.processMemory
    private let root: SystemRoot

    /// Makes a provider that reads the files of the machine, or the files below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = level(of: metric) { () throws(Unavailability) in Double(try residentBytes(root)) }
      return Sample(content, at: clockNanoseconds())
    }
  }

  /// The used share of this process's memory limit. Watcher looks at the process's own control group and at all groups
  /// above it. For each group with a limit below the machine's memory, it computes the used share. The value is the
  /// highest of these shares. If no group has such a limit, the value is the share of the machine's memory that is not
  /// available.
  public struct MemoryLimitLoad: PromptProvider {
    /// The metric.
    public let metric = Metric.memoryLimitLoad
    private let root: SystemRoot

    /// Makes a provider that reads the files of the machine, or the files below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = level(of: metric) { () throws(Unavailability) in
        let info = try MemoryInfo.shared(root).result.get()
        return try fullestGroup(root, machine: info.total) ?? info.load
      }
      return Sample(content, at: clockNanoseconds())
    }
  }
}
