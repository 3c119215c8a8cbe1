/// The processor time that names may cost which cost far more than a compiler's do. Some seconds in all, and a little
/// more for each second that passes: a program that reads reports for days gets over a hostile one.
struct NameBudget {
  /// Microseconds.
  private static let most = 2_000_000.0
  /// Microseconds that a name may cost in any case, and one more for each of its bytes: ten times what a compiler's do.
  private static let allowance = 100
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

  /// Records what a name of `bytes` bytes has cost, in microseconds.
  mutating func take(_ cost: UInt32, _ bytes: Int) { left -= Double(max(0, Int(cost) - Self.allowance - bytes)) }
}
