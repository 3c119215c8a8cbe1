extension Watcher {
  /// Makes readings from samples, and keeps the previous sample that a rate needs. A meter is a value type. So each
  /// manager has a meter of its own, and a manager's samples do not change the rates of another manager.
  ///
  /// ```swift
  /// var meter = Watcher.RateMeter()
  /// let first = meter.reading(of: provider.sample())   // unavailable(.firstSample) for a rate
  /// let second = meter.reading(of: provider.sample())  // the rate between the two
  /// ```
  public struct RateMeter: Sendable, Hashable {
    /// The shortest time between two samples that give a rate, in nanoseconds. It is two ticks, because the kernel
    /// counts processor time in ticks of 10 ms.
    public static let shortestInterval: UInt64 = 20_000_000

    private var previous: Sample?

    /// Makes a meter without a sample, so the first rate is unavailable.
    public init() {}

    /// Forgets the previous sample, so the next rate is unavailable.
    public mutating func reset() { previous = nil }

    /// The reading of a sample. A rate also uses the previous sample.
    ///
    /// A sample that comes too soon after the previous sample does not replace it. If it replaced the previous sample,
    /// frequent samples would never give a rate.
    public mutating func reading(of sample: Sample) -> Reading {
      switch sample.content {
      case .level(let quantity): return .value(quantity)
      case .unavailable(let reason): return .unavailable(reason)
      case .share, .count: break
      }
      guard let before = previous, before.source == sample.source else {
        previous = sample
        return .unavailable(.firstSample)
      }
      guard sample.instant >= before.instant, sample.instant - before.instant >= Self.shortestInterval else {
        return .unavailable(.intervalTooShort)
      }
      let reading = Reading { () throws(Unavailability) in try Self.rate(from: before, to: sample) }
      // Of a share whose whole has not grown a tick the beginning stays, too.
      if reading.unavailability != .intervalTooShort { previous = sample }
      return reading
    }

    private static func rate(from before: Sample, to after: Sample) throws(Unavailability) -> Quantity {
      switch (before.content, after.content) {
      case (.share(let oldPart, let oldWhole), .share(let part, let whole)):
        guard whole >= oldWhole else { throw .counterWentBack("whole") }
        guard part >= oldPart else { throw .counterWentBack("part") }
        // As when iowait decreases while all processors are busy: what is left of the whole has shrunk.
        guard part > whole || oldPart > oldWhole || whole - part >= oldWhole - oldPart else {
          throw .counterWentBack("rest")
        }
        guard whole > oldWhole else { throw .intervalTooShort }
        return try Quantity(ratio: Double(part - oldPart) / Double(whole - oldWhole))
      case (.count(let old, _), .count(let new, let scale)):
        guard new >= old else { throw .counterWentBack("count") }
        let seconds = Double(after.instant - before.instant) / 1_000_000_000
        return try Quantity(Double(new - old) / seconds * scale)
      default:
        throw .firstSample
      }
    }
  }
}
