extension Watcher {
  /// How full the machine's battery is; of several, their mean. Servers have none: the reading says so.
  public struct BatteryLevel: MetricProvider {
    /// What is measured.
    public let metric = Metric.batteryLevel
    private let root: SystemRoot

    /// Reads the files of the machine, or those below another folder.
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
