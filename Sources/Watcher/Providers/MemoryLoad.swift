extension Watcher {
  /// The part of the machine's memory that is not available to programs, from `/proc/meminfo`.
  public struct SystemMemoryLoad: PromptProvider {
    /// What is measured.
    public let metric = Metric.memoryLoad
    private let root: SystemRoot

    /// Reads the files of the machine, or those below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Takes a sample now.
    public func sample() -> Sample {
      let look = MemoryInfo.shared(root)
      return Sample(level(of: metric) { () throws(Unavailability) in try look.result.get().load }, at: look.instant)
    }
  }

  /// What of this process is in memory, in bytes, from `/proc/self/statm`.
  public struct ProcessMemory: PromptProvider {
    /// What is measured.
    public let metric = Metric.processMemory
    private let root: SystemRoot

    /// Reads the files of the machine, or those below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = level(of: metric) { () throws(Unavailability) in Double(try residentBytes(root)) }
      return Sample(content, at: clockNanoseconds())
    }
  }

  /// How near this process is to the end of what it may use: what its control group uses of its limit, of several up to the
  /// top the fullest; or, where none has a limit below the machine's memory, what of the machine's is not available.
  public struct MemoryLimitLoad: PromptProvider {
    /// What is measured.
    public let metric = Metric.memoryLimitLoad
    private let root: SystemRoot

    /// Reads the files of the machine, or those below another folder.
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
