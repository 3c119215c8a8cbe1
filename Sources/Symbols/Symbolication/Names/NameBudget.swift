/// The processor time that names may cost which cost far more than a compiler's do. Some seconds in all, and a little
/// more for each second that passes: a program that reads reports for days gets over a hostile one.
struct NameBudget {
  /// Microseconds. What costs less counts nothing.
  private static let (most, least) = (3_000_000.0, UInt32(5_000))
  /// Microseconds a second.
  private static let growth = 20_000.0

  private var left = most
  private var lastLook = ContinuousClock.now

  /// Whether a name may be looked at now.
  mutating func isLeft(at moment: ContinuousClock.Instant) -> Bool {
    left = min(left + (moment - lastLook) / .seconds(1) * Self.growth, Self.most)
    lastLook = moment
    return left > 0
  }

  mutating func take(_ cost: UInt32) { if cost >= Self.least { left -= Double(cost) } }
}
