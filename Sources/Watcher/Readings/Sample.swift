extension Watcher {
  /// A provider's result at one moment. A ``RateMeter`` computes a rate from two samples; a provider stores no samples.
  public struct Sample: Sendable, Hashable {
    /// The result.
    public enum Content: Sendable, Hashable {
      /// A value that needs no second sample, such as the used share of memory.
      case level(Quantity)
      /// Two counters that only grow. The metric is a ratio: the growth of the part divided by the growth of the whole.
      case share(of: UInt64, in: UInt64)
      /// A counter that only grows. The metric is its growth in a second, times `scale`.
      case count(UInt64, scale: Double)
      /// There is no value.
      case unavailable(Unavailability)
    }

    /// The result.
    public var content: Content
    /// The time in nanoseconds of `CLOCK_MONOTONIC`. This clock never goes back, and stops only while the machine is
    /// suspended.
    public var instant: UInt64
    /// A number that identifies the source of the counters. Counters of two samples are compared only if this number is
    /// the same in both. For example, it changes if another device has replaced the previous one.
    public var source: UInt64

    /// Makes a sample.
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
