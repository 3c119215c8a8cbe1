extension Watcher {
  /// The normal side of a threshold.
  public enum ThresholdRange: String, Sendable, Hashable, Codable, CaseIterable {
    /// Values below the threshold are nominal, as for a load.
    case lower
    /// Values above the threshold are nominal, as for a battery.
    case upper
  }

  /// The state of a metric.
  public enum ThresholdState: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is no value.
    case unknown
    /// The value is on the normal side of the threshold.
    case nominal
    /// The value is on the other side of the threshold, or equals it.
    case critical
  }

  /// Compares readings with a threshold. A critical metric is nominal again only if its value is on the normal side and
  /// differs from the threshold by at least the hysteresis. So a metric that varies around the threshold causes one
  /// event instead of hundreds.
  public struct ThresholdWatch: Sendable, Hashable {
    /// The threshold, a finite number in the metric's unit.
    public var threshold: Quantity { didSet { judgesAnew() } }
    /// The normal side of the threshold.
    public var range: ThresholdRange { didSet { judgesAnew() } }
    /// The smallest distance from the threshold, on the normal side, at which a critical metric becomes nominal again.
    /// It is 0 or more, in the metric's unit.
    public var hysteresis: Double
    /// The state after the last reading.
    public private(set) var state = ThresholdState.unknown
    private var lastKnown: ThresholdState?

    /// Sets a threshold in the metric's unit. A critical metric becomes nominal again when it is on the normal side and
    /// differs from the threshold by at least `hysteresis`.
    public init(threshold: Quantity, range: ThresholdRange = .lower, hysteresis: Double = 0) {
      self.threshold = threshold
      self.range = range
      self.hysteresis = hysteresis.isFinite ? max(0, hysteresis) : 0
    }

    /// Compares a reading with the threshold. Returns the new state; `nil` if the state did not change.
    ///
    /// If the first value is nominal, this function also returns `nil`. A reading that is missing for a temporary
    /// reason changes nothing.
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

    /// A metric that was critical at another threshold need not return beyond this threshold by the hysteresis.
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
