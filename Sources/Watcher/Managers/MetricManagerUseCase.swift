extension Watcher {
  /// The interface of a metric's manager.
  public protocol MetricManagerUseCase: AnyObject, Sendable {
    /// What is measured.
    var metric: Metric { get }
    /// The newest reading; `unavailable(.firstSample)` before the first.
    var reading: Reading { get }
    /// All readings, those without a value too.
    var readings: Values<Reading> { get }
    /// The values, in the metric's unit.
    var publisher: Values<Double> { get }
    /// The values of a ratio in hundredths, 0…100.
    var percentPublisher: Values<Double> { get }

    /// Where nominal ends and critical begins, finite, in the metric's unit.
    var threshold: Double { get set }
    /// The threshold, and each change of it.
    var thresholdPublisher: Values<Double> { get }
    /// The side of the threshold that is nominal.
    var thresholdRange: ThresholdRange { get set }
    /// The side that is nominal, and each change of it.
    var thresholdRangePublisher: Values<ThresholdRange> { get }
    /// Seconds between two samples.
    var refreshFrequency: Double { get set }
    /// Seconds between two samples, and each change of them.
    var refreshFrequencyPublisher: Values<Double> { get }

    /// The side of its threshold that the metric is on.
    var thresholdState: ThresholdState { get }
    /// Each change of that side; the last 64 wait for a listener.
    var thresholdChanges: Values<ThresholdChange> { get }

    /// Takes a sample now, or joins the one that is being taken, and returns the reading.
    func fetch() async -> Reading
  }

  /// A crossing of the threshold.
  public struct ThresholdChange: Sendable, Hashable {
    /// The time in seconds since 1970.
    public var date: Double
    /// The new state.
    public var state: ThresholdState
    /// The value; `nil` if there no longer is one.
    public var value: Double?
    /// The threshold.
    public var threshold: Double
  }
}

extension Watcher.MetricManagerUseCase {
  /// Another name for ``Watcher/MetricManagerUseCase/percentPublisher``.
  public var percentagePublisher: Watcher.Values<Double> { percentPublisher }
}
