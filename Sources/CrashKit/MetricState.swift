extension CrashKit.Metric {
  /// What a value means for the program.
  public enum State: UInt8, Sendable, Hashable, CaseIterable, Codable {
    /// There is no value, or its meaning is not known.
    case unknown
    /// Within the normal range.
    case nominal
    /// Beyond the threshold.
    case critical
  }
}
