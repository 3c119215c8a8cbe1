import Glibc
import Synchronization

extension Watcher {
  /// The seconds from the start of this process until it reported the end of its launch. The kernel records the start
  /// in ticks of 10 ms.
  public final class LaunchTime: PromptProvider {
    /// The metric.
    public let metric = Metric.launchTime
    private let root: SystemRoot
    private let end = Mutex<UInt64?>(nil)

    /// Makes a provider that reads the files of the machine, or the files below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Records the end of the launch. Only the first call has an effect.
    public func finish() {
      let now = clockNanoseconds(CLOCK_BOOTTIME)
      end.withLock { if $0 == nil { $0 = now } }
    }

    /// A sample of how long the launch took, in seconds. It has no value before the launch is over.
    public func sample() -> Sample {
      let content = level(of: metric) { () throws(Unavailability) in
        guard let end = end.withLock({ $0 }) else { throw .nothingMeasured }
        let start = try processStart(root)
        guard end >= start else { throw .counterWentBack("clock") }
        return Double(end - start) / 1_000_000_000
      }
      return Sample(content, at: clockNanoseconds())
    }
  }
}
