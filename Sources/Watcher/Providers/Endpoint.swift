extension Watcher.ResponseTimes {
  /// The figures of one endpoint.
  public struct Endpoint: Sendable, Hashable {
    /// The name under which the calls were recorded.
    public let name: String
    /// How many calls ended, and how many of these failed.
    public let calls, errors: UInt64
    /// Figures of how long the calls took, in seconds: the mean, the median, the 95th and 99th percentiles, and the
    /// longest time.
    public let mean, median, percentile95, percentile99, longest: Double
    /// When the last call ended, in seconds since 1970.
    public let lastCall: Double
  }
}
