extension Watcher {
  /// A metric that crossed its threshold.
  public struct MetricThresholdEvent: Sendable, Hashable {
    /// The time in seconds since 1970.
    public var date: Double
    /// The metric's new state.
    public var state: ThresholdState
    /// The metric's value, in the metric's unit; `nil` if the metric no longer has a value.
    public var value: Double?
    /// The value in percent, 0…100; `nil` if the metric is not a ratio or has no value.
    public var percentage: Double?
    /// The metric.
    public var metric: Metric
    /// The threshold.
    public var threshold: Double

    /// Makes an event.
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
