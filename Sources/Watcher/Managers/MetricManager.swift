import CrashKit
import Dispatch
import Logging
import Synchronization

#if !Watcher
  #error("Watcher's trait is off: write .package(…, traits: [\"Watcher\"]), see Docs/packages.md")
#endif

extension Watcher {
  /// Samples a metric at regular intervals, compares it with its threshold and informs all listeners.
  ///
  /// The manager keeps the previous sample to compute rates. Any number of listeners share each reading. If a provider
  /// fails, the manager tries again at the next tick. It logs the reason only if this reason is not temporary and
  /// differs from the reason of the previous reading. Each manager registers a CrashKit metric, so a crash report has
  /// the last value of the manager's metric. You may use it from any thread.
  public final class MetricManager: MetricManagerUseCase {
    /// The metric.
    public let metric: Metric

    struct State {
      var meter = RateMeter()
      var watch: ThresholdWatch
      var reading = Reading.unavailable(.firstSample)
      var readAt: UInt64?
      var lastValue: Double?
      /// Follows the threshold unless the program chose one.
      var choosesHysteresis: Bool
      var refreshFrequency: Double
      var pace = Pace.foreground
      var backgroundFrequency: Double?
      var isRunning = false
      var loggedReason: Unavailability?
      var waiting: [CheckedContinuation<Reading, Never>] = []
      var fetchIsQueued = false
    }

    enum Pace { case foreground, background }

    let state: Mutex<State>
    let ticker: Ticker
    /// Held while the pace is changed, so that the ticker follows the newest.
    let pacing = Mutex(())
    private let provider: any MetricProvider
    private let slot: CrashKit.Metric
    private let logger: Logger
    private let readingSource = Broadcast<Reading>(repeatsNewest: true)
    private let valueSource = Broadcast<Double>(repeatsNewest: true)
    private let percentSource = Broadcast<Double>(repeatsNewest: true)
    private let thresholdSource = Broadcast<Double>(repeatsNewest: true)
    private let rangeSource = Broadcast<ThresholdRange>(repeatsNewest: true)
    private let frequencySource = Broadcast<Double>(repeatsNewest: true)
    private let changeSource = Broadcast<ThresholdChange>(repeatsNewest: false, kept: 64)

    /// One thread wakes up once for all that tick together.
    private static let promptQueue = DispatchQueue(label: "watcher.sampling", qos: .utility)

    /// The range of ``refreshFrequency``, in seconds.
    public static let frequencies: ClosedRange<Double> = 0.02...86400

    /// Makes a manager; ``start()`` begins to sample.
    ///
    /// - Parameters:
    ///   - metricProvider: The provider of the samples.
    ///   - threshold: The threshold: a finite number in the metric's unit. Any other number is refused and logged; then
    ///     the metric is never critical.
    ///   - thresholdRange: The side of the threshold that is normal; by default the upper side for a battery, and the
    ///     lower side for all other metrics.
    ///   - hysteresis: The smallest distance from the threshold, on the normal side, at which a critical metric becomes
    ///     nominal again. The default is a fiftieth of the threshold. For a ratio, this default is limited, so that the
    ///     metric can always become nominal again.
    ///   - refreshFrequency: Seconds between two samples, limited to ``frequencies``.
    ///   - queue: The queue on which the manager takes samples. By default, managers whose providers are Watcher's own
    ///     and never block share a queue. Every other manager has its own queue.
    public init(
      metricProvider: any MetricProvider, threshold: Double, thresholdRange: ThresholdRange? = nil,
      hysteresis: Double? = nil, refreshFrequency: Double = 1, queue: DispatchQueue? = nil
    ) {
      let metric = metricProvider.metric
      self.metric = metric
      provider = metricProvider
      slot = CrashKit.registerMetric(metric.name, unit: metric.unit.rawValue)
      var logger = Logger(label: "watcher")
      logger[metadataKey: "metric"] = .string(metric.name)
      self.logger = logger
      let range = thresholdRange ?? metric.nominalRange
      let limit = (try? Quantity(threshold)) ?? Self.unreachable(range)
      if !threshold.isFinite {
        logger.warning("the threshold \(threshold) is not finite, so the metric is never critical")
      }
      let frequency = Self.allowed(refreshFrequency) ?? 1
      let watch = ThresholdWatch(
        threshold: limit, range: range, hysteresis: hysteresis ?? Self.hysteresis(limit, range, metric.unit))
      state = Mutex(State(watch: watch, choosesHysteresis: hysteresis == nil, refreshFrequency: frequency))
      let usual = metricProvider is any PromptProvider ? Self.promptQueue : nil
      ticker = Ticker(queue: queue ?? usual ?? DispatchQueue(label: "watcher.\(metric.name)", qos: .utility))
      thresholdSource.send(limit.value)
      rangeSource.send(range)
      frequencySource.send(frequency)
    }

    /// Works like ``init(metricProvider:threshold:thresholdRange:hysteresis:refreshFrequency:queue:)``, for a provider
    /// that conforms to ``MetricProviderUseCase``.
    ///
    /// `metric` is the provider's metric. By default, this is a ratio whose name is the name of the provider's type.
    public convenience init(
      metricProvider: any MetricProviderUseCase, metric: Metric? = nil, threshold: Float,
      thresholdRange: ThresholdRange? = nil, refreshFrequency: Double = 1, queue: DispatchQueue? = nil
    ) {
      let metric = metric ?? Metric(String(describing: type(of: metricProvider)), unit: .ratio)
      self.init(
        metricProvider: AdaptedProvider(metricProvider, metric: metric), threshold: Double(threshold),
        thresholdRange: thresholdRange, refreshFrequency: refreshFrequency, queue: queue)
    }

    deinit {
      ticker.stop()
      readingSource.finish()
      valueSource.finish()
      percentSource.finish()
      thresholdSource.finish()
      rangeSource.finish()
      frequencySource.finish()
      changeSource.finish()
    }

    // MARK: Output

    /// The newest reading; `unavailable(.firstSample)` before the first sample.
    public var reading: Reading { state.withLock { $0.reading } }
    /// The newest reading and each later reading. Readings without a value are included.
    public var readings: Values<Reading> { readingSource.values }
    /// The newest value and each later value, in the metric's unit.
    public var publisher: Values<Double> { valueSource.values }
    /// The newest value of a ratio and each later value, in percent, 0…100. For other metrics, the stream has no
    /// values.
    public var percentPublisher: Values<Double> { percentSource.values }
    /// The current threshold, and each later threshold.
    public var thresholdPublisher: Values<Double> { thresholdSource.values }
    /// The current normal side of the threshold, and each later normal side.
    public var thresholdRangePublisher: Values<ThresholdRange> { rangeSource.values }
    /// The current interval between two samples in seconds, and each later interval.
    public var refreshFrequencyPublisher: Values<Double> { frequencySource.values }
    /// Each crossing of the threshold. At most 64 crossings wait for a slow listener. Each further crossing replaces
    /// the oldest waiting one.
    public var thresholdChanges: Values<ThresholdChange> { changeSource.values }
    /// Whether the metric is nominal or critical.
    public var thresholdState: ThresholdState { state.withLock { $0.watch.state } }

    // MARK: Settings

    /// The threshold, in the metric's unit. A number that is not finite is refused and logged.
    public var threshold: Double {
      get { state.withLock { $0.watch.threshold.value } }
      set {
        guard let limit = try? Quantity(newValue) else { return logger.warning("threshold \(newValue) is not finite") }
        change { $0.watch.threshold = limit }
        thresholdSource.send(newValue)
      }
    }

    /// The normal side of the threshold. After a change, the manager compares the last value with the threshold again.
    public var thresholdRange: ThresholdRange {
      get { state.withLock { $0.watch.range } }
      set {
        change { $0.watch.range = newValue }
        rangeSource.send(newValue)
      }
    }

    /// The interval between two samples, in seconds. A number that is not finite is refused and logged. Any other
    /// number is limited to ``frequencies``.
    public var refreshFrequency: Double {
      get { state.withLock { $0.refreshFrequency } }
      set {
        guard let allowed = Self.allowed(newValue) else {
          return logger.warning("the sampling interval \(newValue) is not finite")
        }
        state.withLock { $0.refreshFrequency = allowed }
        frequencySource.send(allowed)
        keepPace()
      }
    }

    // MARK: Running

    /// Takes a sample at once and then at regular intervals. Does nothing if the manager already samples.
    public func start() {
      let wasRunning = state.withLock { state in
        defer { state.isRunning = true }
        return state.isRunning
      }
      guard !wasRunning else { return }
      Followers.shared.add(self)
      keepPace()
    }

    /// Stops sampling. The listeners remain, and get values again after ``start()``.
    public func stop() {
      state.withLock { $0.isRunning = false }
      keepPace()
    }

    /// Takes a sample now and returns the reading. If another thread is already taking a sample, waits for that sample
    /// and returns its reading.
    public func fetch() async -> Reading {
      await withCheckedContinuation { continuation in
        let isFirst = state.withLock { state in
          state.waiting.append(continuation)
          defer { state.fetchIsQueued = true }
          return !state.fetchIsQueued
        }
        // One that was asked for behind it, or a tick that comes first, answers all.
        if isFirst { ticker.queue.async { [self] in if state.withLock({ !$0.waiting.isEmpty }) { tick() } } }
      }
    }

    /// Takes a sample and sends it to all listeners. Runs only on the manager's queue.
    func tick() {
      let sample = provider.sample()
      let (taken, waiting) = state.withLock { state in
        defer {
          state.waiting = []
          state.fetchIsQueued = false
        }
        return (take(sample, &state), state.waiting)
      }
      if taken.isNews { tell(taken.reading, taken.change) }
      for continuation in waiting { continuation.resume(returning: taken.reading) }
    }

    private struct Taken {
      var reading: Reading
      var isNews = true
      var change: ThresholdChange?
    }

    private func take(_ sample: Sample, _ state: inout State) -> Taken {
      let reading = state.meter.reading(of: sample)
      // One that was asked for right behind another is answered by that.
      if reading.unavailability == .intervalTooShort, state.readAt != nil {
        return Taken(reading: state.reading, isNews: false)
      }
      state.reading = reading
      state.readAt = clockNanoseconds()
      if let value = reading.value { state.lastValue = value }
      return Taken(reading: reading, change: changeOfSide(&state, reading))
    }

    private func tell(_ reading: Reading, _ change: ThresholdChange?) {
      readingSource.send(reading)
      if let value = reading.value {
        valueSource.send(value)
        if metric.unit == .ratio { percentSource.send(value * 100) }
      }
      updateSlot()
      logReason(reading.unavailability)
      if let change { changeSource.send(change) }
    }

    private func changeOfSide(_ state: inout State, _ reading: Reading) -> ThresholdChange? {
      guard let side = state.watch.update(with: reading) else { return nil }
      return ThresholdChange(
        date: Double(realNanoseconds()) / 1e9, state: side, value: reading.value, threshold: state.watch.threshold.value
      )
    }

    /// Another threshold may put the value that is there on the other side.
    private func change(_ edit: (inout State) -> Void) {
      let change = state.withLock { state in
        edit(&state)
        if state.choosesHysteresis {
          state.watch.hysteresis = Self.hysteresis(state.watch.threshold, state.watch.range, metric.unit)
        }
        return state.reading.value == nil ? nil : changeOfSide(&state, state.reading)
      }
      updateSlot()
      if let change { changeSource.send(change) }
    }

    /// If there is no value now, the last one stays, with a state that says so.
    private func updateSlot() {
      let (last, watch) = state.withLock { ($0.lastValue, $0.watch) }
      guard let last else { return }
      let side: CrashKit.Metric.State =
        switch watch.state {
        case .unknown: .unknown
        case .nominal: .nominal
        case .critical: .critical
        }
      slot.update(last, state: side, threshold: watch.threshold.value)
    }

    private func logReason(_ reason: Unavailability?) {
      let isNew = state.withLock { state in
        defer { state.loggedReason = reason }
        return state.loggedReason != reason
      }
      guard isNew, let reason, !reason.isPassing else { return }
      // A server has no battery, and that is not a fault.
      if case .noDevice = reason {
        logger.info("no reading", metadata: ["reason": .string(reason.description)])
      } else {
        logger.error("no reading", metadata: ["reason": .string(reason.description)])
      }
    }

    private static func allowed(_ frequency: Double) -> Double? {
      frequency.isFinite ? min(max(frequency, frequencies.lowerBound), frequencies.upperBound) : nil
    }

    private static func hysteresis(_ threshold: Quantity, _ range: ThresholdRange, _ unit: Metric.Unit) -> Double {
      let fiftieth = abs(threshold.value) / 50
      guard unit == .ratio, range == .upper else { return fiftieth }
      return max(0, min(fiftieth, (1 - threshold.value) / 2))
    }

    private static func unreachable(_ range: ThresholdRange) -> Quantity {
      let end = Double.greatestFiniteMagnitude
      return (try? Quantity(range == .lower ? end : -end)) ?? .zero
    }
  }
}
