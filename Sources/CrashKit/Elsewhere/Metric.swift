extension CrashKit {
  /// A metric, which has no effect on this system.
  public struct Metric: Sendable, Hashable {
    /// Does nothing.
    public func update(_ value: Double, state: State = .unknown, threshold: Double? = nil) {}
  }

  /// Returns a metric without effect.
  public static func registerMetric(_ name: String, unit: String) -> Metric { Metric() }
}
