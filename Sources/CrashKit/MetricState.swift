extension CrashKit.Metric {
  /// What a value means for the program.
  public enum State: UInt8, Sendable, Hashable, CaseIterable, Codable {
    /// There is no value, or its meaning is not known.
    case unknown
    /// The value is within the normal range.
    case nominal
    /// The value is beyond the threshold.
    case critical
  }
}
