extension CrashKit.Metric {
  /// What a value means for the program.
  public enum State: UInt8, Sendable, Hashable, CaseIterable, Codable {
    /// The value could not be told, or nobody said what it means.
    case unknown
    /// As it should be.
    case nominal
    /// Beyond the threshold.
    case critical
  }
}
