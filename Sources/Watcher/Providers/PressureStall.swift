extension Watcher {
  /// The share of time in which at least one task of the machine waited for a scarce resource. The figures come from
  /// `/proc/pressure` (the kernel's Documentation/accounting/psi.rst). If the kernel has no such files, a reading has
  /// the reason in place of a value.
  public struct PressureStall: PromptProvider {
    /// The metric.
    public let metric: Metric
    private let root: SystemRoot
    private let file: String

    /// The share of time in which tasks waited for a processor.
    public static func cpu(root: SystemRoot = .machine) -> PressureStall {
      PressureStall(metric: .cpuPressure, root: root, file: "/proc/pressure/cpu")
    }

    /// The share of time in which tasks waited for memory.
    public static func memory(root: SystemRoot = .machine) -> PressureStall {
      PressureStall(metric: .memoryPressure, root: root, file: "/proc/pressure/memory")
    }

    /// The share of time in which tasks waited for input or output.
    public static func io(root: SystemRoot = .machine) -> PressureStall {
      PressureStall(metric: .ioPressure, root: root, file: "/proc/pressure/io")
    }

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = counters { () throws(Unavailability) in
        let number = try root.beginning(of: file) { text -> UInt64? in
          var text = text
          while let line = text.line() {
            guard var words = line.behind("some ") else { continue }
            while let word = words.word() {
              if let total = word.behind("total=") { return total.number }
            }
          }
          return nil
        }
        guard let microseconds = number else { throw .failed(file) }
        return .count(microseconds, scale: 1e-6)
      }
      return Sample(content, at: clockNanoseconds())
    }
  }
}
