extension Watcher {
  /// A metric that came to another side of its threshold.
  public struct MetricThresholdEvent: Sendable, Hashable {
    /// When, in seconds since 1970.
    public var date: Double
    /// The side that it is on.
    public var state: ThresholdState
    /// Its value, in its unit; `nil` where there is none any more.
    public var value: Double?
    /// The value of a ratio in hundredths.
    public var percentage: Double?
    /// What is measured.
    public var metric: Metric
    /// The threshold that it was compared with.
    public var threshold: Double

    /// An event with all of its parts.
    public init(
      date: Double, state: ThresholdState, value: Double?, metric: Metric, threshold: Double
    ) {
      self.date = date
      self.state = state
      self.value = value
      percentage = metric.unit == .ratio ? value.map { $0 * 100 } : nil
      self.metric = metric
      self.threshold = threshold
    }
  }
}
