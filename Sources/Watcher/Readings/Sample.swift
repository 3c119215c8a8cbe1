extension Watcher {
  /// What a provider found at one instant. Rates are made of two of these by a ``RateMeter``; a provider keeps none.
  public struct Sample: Sendable, Hashable {
    /// What was found.
    public enum Content: Sendable, Hashable {
      /// A metric that is known at once: how full a memory is, say.
      case level(Quantity)
      /// Two counters that only grow: the metric is the growth of the part over that of the whole, a ratio.
      case share(of: UInt64, in: UInt64)
      /// A counter that only grows: the metric is its growth a second, times `scale`.
      case count(UInt64, scale: Double)
      /// There is nothing to tell.
      case unavailable(Unavailability)
    }

    /// What was found.
    public var content: Content
    /// When: nanoseconds of a clock that never goes back and stands still for nothing but a suspended machine
    /// (`CLOCK_MONOTONIC`).
    public var instant: UInt64
    /// Tells counters apart that cannot be compared: another device in the place of the one before, say.
    public var source: UInt64

    /// Notes what was found.
    public init(_ content: Content, at instant: UInt64, source: UInt64 = 0) {
      self.content = content
      self.instant = instant
      self.source = source
    }
  }
}

extension Watcher {
  /// A level, or the reason why there is none.
  static func level(of metric: Metric, _ measure: () throws(Unavailability) -> Double) -> Sample.Content {
    do {
      let value = try measure()
      return .level(try metric.unit == .ratio ? Quantity(ratio: value) : Quantity(value))
    } catch {
      return .unavailable(error)
    }
  }

  /// Counters, or the reason why there are none.
  static func counters(_ measure: () throws(Unavailability) -> Sample.Content) -> Sample.Content {
    do { return try measure() } catch { return .unavailable(error) }
  }
}
