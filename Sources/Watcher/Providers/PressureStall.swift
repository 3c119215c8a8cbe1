extension Watcher {
  /// The part of the time in which at least one task of the machine waited for something that it was short of, from
  /// `/proc/pressure` (the kernel's Documentation/accounting/psi.rst). Kernels without it say so.
  public struct PressureStall: MetricProvider {
    public let metric: Metric
    private let root: SystemRoot
    private let file: String

    /// Waiting for a processor.
    public static func cpu(root: SystemRoot = .machine) -> PressureStall {
      PressureStall(metric: .cpuPressure, root: root, file: "/proc/pressure/cpu")
    }

    /// Waiting for memory.
    public static func memory(root: SystemRoot = .machine) -> PressureStall {
      PressureStall(metric: .memoryPressure, root: root, file: "/proc/pressure/memory")
    }

    /// Waiting for input or output.
    public static func io(root: SystemRoot = .machine) -> PressureStall {
      PressureStall(metric: .ioPressure, root: root, file: "/proc/pressure/io")
    }

    public func sample() -> Sample {
      let content = counters { () throws(Unavailability) in
        let line = try root.text(file).split(separator: "\n").first { $0.hasPrefix("some ") }
        let total = line?.words.first { $0.hasPrefix("total=") }
        guard let microseconds = total.flatMap({ UInt64($0.dropFirst(6)) }) else { throw .failed(file) }
        return .count(microseconds, scale: 1e-6)
      }
      return Sample(content, at: clockNanoseconds())
    }
  }
}
