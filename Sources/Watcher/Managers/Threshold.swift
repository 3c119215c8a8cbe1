extension Watcher {
  /// Which side of its threshold a metric is to be on.
  public enum ThresholdRange: String, Sendable, Hashable, Codable, CaseIterable {
    /// Below is nominal, as for a load.
    case lower
    /// Above is nominal, as for a battery.
    case upper
  }

  /// Which side a metric is on.
  public enum ThresholdState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nobody knows: there is no value.
    case unknown
    /// On the side that it is to be on.
    case nominal
    /// On the other, or at the threshold.
    case critical
  }

  /// Compares readings with a threshold. A metric that turned critical is nominal again only once it is beyond the threshold
  /// by the hysteresis, so that one which trembles about it makes one event and not hundreds.
  public struct ThresholdWatch: Sendable, Hashable {
    /// The threshold, finite, in the metric's unit.
    public var threshold: Quantity { didSet { judgesAnew() } }
    /// The side that is nominal.
    public var range: ThresholdRange { didSet { judgesAnew() } }
    /// How far back beyond the threshold a critical metric has to come, in the metric's unit; 0 or more.
    public var hysteresis: Double
    /// The state after the last reading.
    public private(set) var state = ThresholdState.unknown
    private var lastKnown: ThresholdState?

    /// A threshold in the metric's unit. A critical metric is nominal again when it has come back by `hysteresis`.
    public init(threshold: Quantity, range: ThresholdRange = .lower, hysteresis: Double = 0) {
      self.threshold = threshold
      self.range = range
      self.hysteresis = hysteresis.isFinite ? max(0, hysteresis) : 0
    }

    /// Takes a reading in, and returns the state that it changed to; `nil` where that is what it was.
    ///
    /// The first reading makes an event only where it is critical: that all is well is no news. A reading that is missing
    /// for a passing reason changes nothing.
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
