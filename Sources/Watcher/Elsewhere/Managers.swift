import Dispatch

extension Watcher {
  /// Takes no samples on this system. Its settings never change.
  public final class MetricManager: MetricManagerUseCase {
    /// The metric.
    public let metric: Metric
    private let limit: Double
    private let side: ThresholdRange
    private let pace: Double

    /// The range of ``refreshFrequency``, in seconds.
    public static let frequencies: ClosedRange<Double> = 0.02...86400

    /// Stores its arguments.
    public init(
      metricProvider: any MetricProvider, threshold: Double, thresholdRange: ThresholdRange? = nil,
      hysteresis: Double? = nil, refreshFrequency: Double = 1, queue: DispatchQueue? = nil
    ) {
      metric = metricProvider.metric
      limit = threshold
      side = thresholdRange ?? metric.nominalRange
      pace = refreshFrequency
    }

    /// Stores its arguments.
    public convenience init(
      metricProvider: any MetricProviderUseCase, metric: Metric? = nil, threshold: Float,
      thresholdRange: ThresholdRange? = nil, refreshFrequency: Double = 1, queue: DispatchQueue? = nil
    ) {
      let metric = metric ?? Metric(String(describing: type(of: metricProvider)), unit: .ratio)
      self.init(
        metricProvider: AdaptedProvider(metricProvider, metric: metric), threshold: Double(threshold),
        thresholdRange: thresholdRange, refreshFrequency: refreshFrequency, queue: queue)
    }

    /// `unavailable(.firstSample)`, always.
    public var reading: Reading { .unavailable(.firstSample) }
    /// A stream without readings.
    public var readings: Values<Reading> { Values() }
    /// A stream without values.
    public var publisher: Values<Double> { Values() }
    /// A stream without values.
    public var percentPublisher: Values<Double> { Values() }
    /// A stream without changes.
    public var thresholdPublisher: Values<Double> { Values() }
    /// A stream without changes.
    public var thresholdRangePublisher: Values<ThresholdRange> { Values() }
    /// A stream without changes.
    public var refreshFrequencyPublisher: Values<Double> { Values() }
    /// A stream without changes.
    public var thresholdChanges: Values<ThresholdChange> { Values() }
    /// `unknown`, always.
    public var thresholdState: ThresholdState { .unknown }

    /// The threshold in the metric's unit, as passed to the initialiser.
    public var threshold: Double {
      get { limit }
      set {}
    }

    /// The normal side of the threshold, as passed to the initialiser. If none was passed, this is the usual side for
    /// the metric.
    public var thresholdRange: ThresholdRange {
      get { side }
      set {}
    }

    /// The interval between two samples in seconds, as passed to the initialiser.
    public var refreshFrequency: Double {
      get { pace }
      set {}
    }

    /// Does nothing.
    public func start() {}

    /// Does nothing.
    public func stop() {}

    /// Returns `unavailable(.firstSample)`.
    public func fetch() async -> Reading { reading }

    /// Does nothing.
    public func enableBackgroundFetching(every seconds: Double? = nil) {}

    /// Does nothing.
    public func disableBackgroundFetching() {}
  }

  /// Listens to nothing on this system.
  public final class EventProvider: Sendable {
    /// Makes an event provider without managers.
    public init() {}

    /// A stream without events.
    public var events: Values<MetricThresholdEvent> { Values() }

    /// Does nothing.
    public func register(_ manager: any MetricManagerUseCase, for metric: Metric) {}

    /// Empty, always.
    public var metrics: [Metric] { [] }
  }
}
