extension Watcher.ResponseTimes {
  /// The figures of one endpoint.
  public struct Endpoint: Sendable, Hashable {
    /// The name under which the calls were recorded.
    public let name: String
    /// How many calls ended, and how many of these failed.
    public let calls, errors: UInt64
    /// The mean, median, 95th and 99th percentile and longest of all calls' times, in seconds.
    public let mean, median, percentile95, percentile99, longest: Double
    /// When the last call ended, in seconds since 1970.
    public let lastCall: Double
  }
}
