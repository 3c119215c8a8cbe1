import Glibc

extension Watcher {
  /// The share of time in which the machine's processors neither idle nor wait for a disk, from `/proc/stat`.
  public struct SystemCPULoad: PromptProvider {
    /// The metric.
    public let metric = Metric.cpuLoad
    private let root: SystemRoot

    /// Makes a provider that reads the files of the machine, or the files below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = counters { () throws(Unavailability) in
        let times = try ProcessorTimes(root)
        return .share(of: times.busy, in: times.all)
      }
      return Sample(content, at: clockNanoseconds())
    }
  }

  /// The share of all processors' time that this process used (`CLOCK_PROCESS_CPUTIME_ID`). The share may be a little
  /// above 1, because the interval is measured with another clock, and the two clocks do not agree exactly.
  public struct ProcessCPULoad: PromptProvider {
    /// The metric.
    public let metric = Metric.processCPULoad

    /// Makes a provider that reads the process's own clock.
    public init() {}

    /// Takes a sample now.
    public func sample() -> Sample {
      let used = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID)
      let scale = 1 / (1_000_000_000 * Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
      return Sample(.count(used, scale: scale), at: clockNanoseconds())
    }
  }

  /// The processor time that this process's control group used, as a share of the time that the group may use. The
  /// group may use its quota or, without a quota, the time of all processors. In an interval shorter than the quota's
  /// period, the share may be above 1. Versions 1 and 2 of control groups are supported (the kernel's cgroup-v2.rst and
  /// scheduler/sched-bwc.rst).
  public struct ContainerCPULoad: PromptProvider {
    /// The metric.
    public let metric = Metric.containerCPULoad
    private let root: SystemRoot

    /// Makes a provider that reads the files of the machine, or the files below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = counters { () throws(Unavailability) in
        let group = ControlGroup.own(root, ["cpu", "cpuacct"])
        let used = try usedNanoseconds(group)
        let allowed = try allowedProcessors(group)
        return .count(used, scale: 1 / (1_000_000_000 * allowed))
      }
      return Sample(content, at: clockNanoseconds())
    }

    private func usedNanoseconds(_ group: ControlGroup) throws(Unavailability) -> UInt64 {
      if group.version(of: "cpu") == .two {
        let used = try group.line("cpu", "cpu.stat") { text -> UInt64? in
          var text = text
          while let line = text.line() {
            if let number = line.behind("usage_usec ") { return number.trimmed.number }
          }
          return nil
        }
        guard let used else { throw .noDevice("cpu.stat of a control group") }
        guard let used, used <= UInt64.max / 1000 else { throw .failed("cpu.stat has no usage_usec") }
        return used * 1000
      }
      let used = try group.line("cpuacct", "cpuacct.usage") { text throws(Unavailability) in
        guard let used = text.number else { throw .failed("cpuacct.usage: \(text.string.prefix(40))") }
        return used
      }
      guard let used else { throw .noDevice("control group") }
      return used
    }

    /// The smallest quota from here to the top, in processors.
    private func allowedProcessors(_ group: ControlGroup) throws(Unavailability) -> Double {
      var least = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
      let isTwo = group.version(of: "cpu") == .two
      for folder in group.folders(of: "cpu") {
        guard let (quota, period) = try isTwo ? quota(folder) : quotaOfOne(folder), quota > 0, period > 0 else {
          continue
        }
        least = min(least, Double(quota) / Double(period))
      }
      return least
    }

    /// "max PERIOD" stands for none.
    private func quota(_ folder: String) throws(Unavailability) -> (UInt64, UInt64)? {
      let pair = try root.line("\(folder)/cpu.max") { text -> (UInt64, UInt64)? in
        var words = text
        guard let quota = words.word()?.number, let period = words.word()?.number, words.isEmpty else { return nil }
        return (quota, period)
      }
      return pair ?? nil
    }

    /// -1 stands for none.
    private func quotaOfOne(_ folder: String) throws(Unavailability) -> (UInt64, UInt64)? {
      let quota = try root.line("\(folder)/cpu.cfs_quota_us") { $0.number }
      guard case .some(.some(let quota)) = quota else { return nil }
      let period = try root.line("\(folder)/cpu.cfs_period_us") { $0.number }
      guard case .some(.some(let period)) = period else { return nil }
      return (quota, period)
    }
  }
}
