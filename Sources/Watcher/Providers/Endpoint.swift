extension Watcher.ResponseTimes {
  /// What is known of one endpoint.
  public struct Endpoint: Sendable, Hashable {
    /// The name that calls were recorded under.
    public let name: String
    /// How many calls were answered or failed, and how many of those failed.
    public let calls, errors: UInt64
    /// The mean, median, 95th and 99th percentile and longest of all calls' times, in seconds.
    public let mean, median, percentile95, percentile99, longest: Double
    /// When the last one ended, in seconds since 1970.
    public let lastCall: Double
  }
}
