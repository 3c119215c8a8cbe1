extension Watcher {
  /// The nominal side of a threshold.
  public enum ThresholdRange: String, Sendable, Hashable, Codable, CaseIterable {
    /// Below is nominal, as for a load.
    case lower
    /// Above is nominal, as for a battery.
    case upper
  }

  /// The state of a metric.
  public enum ThresholdState: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is no value.
    case unknown
    /// On the nominal side.
    case nominal
    /// On the other side, or at the threshold.
    case critical
  }

  /// Compares readings with a threshold. A critical metric is nominal again only if it has returned beyond the
  /// threshold by the hysteresis. So a metric that varies around the threshold makes one event and not hundreds.
  public struct ThresholdWatch: Sendable, Hashable {
    /// The threshold, finite, in the metric's unit.
    public var threshold: Quantity { didSet { judgesAnew() } }
    /// The nominal side.
    public var range: ThresholdRange { didSet { judgesAnew() } }
    /// How far a critical metric must return beyond the threshold, in the metric's unit; 0 or more.
    public var hysteresis: Double
    /// The state after the last reading.
    public private(set) var state = ThresholdState.unknown
    private var lastKnown: ThresholdState?

    /// Sets a threshold in the metric's unit. A critical metric is nominal again when it has returned by `hysteresis`.
    public init(threshold: Quantity, range: ThresholdRange = .lower, hysteresis: Double = 0) {
      self.threshold = threshold
      self.range = range
      self.hysteresis = hysteresis.isFinite ? max(0, hysteresis) : 0
    }

    /// Compares a reading, and returns the new state; `nil` if the state did not change.
    ///
    /// The first reading makes an event only if it is critical. A reading that is missing for a temporary reason
    /// changes nothing.
    public mutating func update(with reading: Reading) -> ThresholdState? {
      guard let value = reading.value else {
        if reading.unavailability?.isPassing == true || state == .unknown { return nil }
        state = .unknown
        return .unknown
      }
      let next: ThresholdState = isNominal(value) ? .nominal : .critical
      let before = state
      state = next
      defer { lastKnown = next }
      if next == before { return nil }
      return before == .unknown && lastKnown == nil && next == .nominal ? nil : next
    }

    /// What was critical by another threshold need not come back beyond this one.
    private mutating func judgesAnew() {
      if lastKnown != nil { lastKnown = .nominal }
    }

    private func isNominal(_ value: Double) -> Bool {
      let margin = lastKnown == .critical ? hysteresis : 0
      return switch range {
      case .lower: margin > 0 ? value <= threshold.value - margin : value < threshold.value
      case .upper: margin > 0 ? value >= threshold.value + margin : value > threshold.value
      }
    }
  }
}
