extension CrashKit.Metric {
  /// Whether a value is normal or critical for the program.
  public enum State: UInt8, Sendable, Hashable, CaseIterable, Codable {
    /// There is no value, or its meaning is not known.
    case unknown
    /// The value is within the normal range.
    case nominal
    /// The value is beyond the threshold.
    case critical
  }
}
