import Glibc

extension Watcher {
  /// The load of all processors of the machine, from `/proc/stat`: everything but idling and waiting for a disk.
  public struct SystemCPULoad: MetricProvider {
    public let metric = Metric.cpuLoad
    private let root: SystemRoot

    public init(root: SystemRoot = .machine) { self.root = root }

    public func sample() -> Sample {
      let content = counters { () throws(Unavailability) in
        let times = try ProcessorTimes(root)
        return .share(of: times.busy, in: times.all)
      }
      return Sample(content, at: clockNanoseconds())
    }
  }

  /// What this process used of all processors' time (`CLOCK_PROCESS_CPUTIME_ID`). With the jitter of two clocks it may come
  /// out a little above 1.
  public struct ProcessCPULoad: MetricProvider {
    public let metric = Metric.processCPULoad

    public init() {}

    public func sample() -> Sample {
      let used = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID)
      let scale = 1 / (1_000_000_000 * Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
      return Sample(.count(used, scale: scale), at: clockNanoseconds())
    }
  }

  /// What this process's control group used of the processor time that it is allowed: its quota, or all processors where
  /// it has none. Over an interval shorter than the quota's period it may come out above 1. Version 1 and 2 (the kernel's cgroup-v2.rst and scheduler/sched-bwc.rst).
  public struct ContainerCPULoad: MetricProvider {
    public let metric = Metric.containerCPULoad
    private let root: SystemRoot

    public init(root: SystemRoot = .machine) { self.root = root }

    public func sample() -> Sample {
      let content = counters { () throws(Unavailability) in
        let group = ControlGroup(root)
        let used = try usedNanoseconds(group)
        let allowed = try allowedProcessors(group)
        return .count(used, scale: 1 / (1_000_000_000 * allowed))
      }
      return Sample(content, at: clockNanoseconds())
    }

    private func usedNanoseconds(_ group: ControlGroup) throws(Unavailability) -> UInt64 {
      if group.version(of: "cpu") == .two {
        guard let text = try group.line("cpu", "cpu.stat") else { throw .noDevice("cpu.stat of a control group") }
        let line = text.split(separator: "\n").first { $0.hasPrefix("usage_usec ") }
        guard let used = line?.words.last.flatMap({ UInt64($0) }), used <= UInt64.max / 1000 else {
          throw .failed("cpu.stat has no usage_usec")
        }
        return used * 1000
      }
      guard let text = try group.line("cpuacct", "cpuacct.usage") else { throw .noDevice("control group") }
      guard let used = UInt64(text) else { throw .failed("cpuacct.usage: \(text.prefix(40))") }
      return used
    }

    /// The smallest quota from here to the top, in processors.
    private func allowedProcessors(_ group: ControlGroup) throws(Unavailability) -> Double {
      let all = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
      var quotas: [Double] = []
      if group.version(of: "cpu") == .two {
        for line in try group.lines("cpu", "cpu.max") {
          let words = line.words
          // "max PERIOD" stands for none.
          guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]) else { continue }
          quotas.append(quota / period)
        }
      } else {
        for (quota, period) in try group.pairs("cpu", "cpu.cfs_quota_us", "cpu.cfs_period_us") {
          guard let quota = Double(quota), let period = Double(period) else { continue }
          quotas.append(quota / period)
        }
      }
      return quotas.filter { $0.isFinite && $0 > 0 }.reduce(all, min)
    }
  }
}
