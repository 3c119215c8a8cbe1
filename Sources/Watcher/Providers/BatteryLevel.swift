extension Watcher {
  /// The charge of the machine's battery. If there are several batteries, the value is their mean. On a machine without
  /// a battery, such as a server, the sample has no value, and the reason is ``Unavailability/noDevice(_:)``.
  public struct BatteryLevel: MetricProvider {
    /// The metric.
    public let metric = Metric.batteryLevel
    private let root: SystemRoot

    /// Makes a provider that reads the files of the machine, or the files below another folder.
    public init(root: SystemRoot = .machine) { self.root = root }

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = level(of: metric) { () throws(Unavailability) in
        let batteries = try Battery.all(root)
        guard !batteries.isEmpty else { throw .noDevice("battery") }
        return batteries.map(\.capacity).reduce(0, +) / Double(batteries.count) / 100
      }
      return Sample(content, at: clockNanoseconds())
    }
  }
}
