extension CrashKit {
  /// A metric that no report carries on this system.
  public struct Metric: Sendable, Hashable {
    /// Keeps nothing.
    public func update(_ value: Double, state: State = .unknown, threshold: Double? = nil) {}
  }

  /// Returns a metric that keeps nothing.
  public static func registerMetric(_ name: String, unit: String) -> Metric { Metric() }
}
