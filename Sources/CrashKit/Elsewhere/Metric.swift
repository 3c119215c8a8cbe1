extension CrashKit {
  /// A metric that no report carries on this system.
  public struct Metric: Sendable, Hashable {
    /// What a value means for the program.
    public enum State: UInt8, Sendable, Hashable, CaseIterable, Codable {
      /// The value is not known, or nothing says what it means.
      case unknown
      /// As it should be.
      case nominal
      /// Beyond the threshold.
      case critical
    }

    /// Keeps nothing.
    public func update(_ value: Double, state: State = .unknown, threshold: Double? = nil) {}
  }

  /// Returns a metric that keeps nothing.
  public static func registerMetric(_ name: String, unit: String) -> Metric { Metric() }
}
