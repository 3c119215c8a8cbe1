extension Watcher {
  /// The interface of a metric's manager.
  public protocol MetricManagerUseCase: AnyObject, Sendable {
    /// The metric.
    var metric: Metric { get }
    /// The newest reading; `unavailable(.firstSample)` before the first.
    var reading: Reading { get }
    /// The newest reading and each later reading, also readings without a value.
    var readings: Values<Reading> { get }
    /// The newest value and each later one, in the metric's unit.
    var publisher: Values<Double> { get }
    /// The newest value of a ratio and each later one, in percent, 0…100.
    var percentPublisher: Values<Double> { get }

    /// The threshold, a finite number in the metric's unit. At the threshold the metric is critical.
    var threshold: Double { get set }
    /// The current threshold, and each later threshold.
    var thresholdPublisher: Values<Double> { get }
    /// The normal side of the threshold.
    var thresholdRange: ThresholdRange { get set }
    /// The current normal side of the threshold, and each later normal side.
    var thresholdRangePublisher: Values<ThresholdRange> { get }
    /// The interval between two samples, in seconds.
    var refreshFrequency: Double { get set }
    /// The current interval between two samples in seconds, and each later interval.
    var refreshFrequencyPublisher: Values<Double> { get }

    /// Whether the metric is nominal or critical.
    var thresholdState: ThresholdState { get }
    /// Each crossing of the threshold. For a slow listener, the last 64 crossings wait.
    var thresholdChanges: Values<ThresholdChange> { get }

    /// Takes a sample now and returns the reading. If another thread is already taking a sample, waits for that sample
    /// and returns its reading.
    func fetch() async -> Reading
  }

  /// A crossing of the threshold.
  public struct ThresholdChange: Sendable, Hashable {
    /// The time in seconds since 1970.
    public var date: Double
    /// The new state.
    public var state: ThresholdState
    /// The value; `nil` if the metric no longer has a value.
    public var value: Double?
    /// The threshold.
    public var threshold: Double
  }
}

extension Watcher.MetricManagerUseCase {
  /// Another name for ``Watcher/MetricManagerUseCase/percentPublisher``.
  public var percentagePublisher: Watcher.Values<Double> { percentPublisher }
}
