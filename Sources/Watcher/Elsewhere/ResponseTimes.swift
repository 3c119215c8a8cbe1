extension Watcher {
  /// Records no times on this system.
  public final class ResponseTimes: Sendable {
    /// The largest number of endpoints. Calls of further endpoints are counted under ``otherEndpoints``.
    public static let mostEndpoints = 256
    /// The name under which calls of further endpoints are counted when there are ``mostEndpoints`` endpoints.
    public static let otherEndpoints = "(other)"

    /// Does nothing.
    public init() {}

    /// Does nothing.
    public func record(_ endpoint: String, duration: Duration, failed: Bool = false) {}

    /// Calls `body`.
    public func measure<Result, Failure: Error>(
      _ endpoint: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
      try await body()
    }

    /// Empty, always.
    public var endpoints: [Endpoint] { [] }

    /// Returns `nil`.
    public func endpoint(_ name: String) -> Endpoint? { nil }

    func figure(_ statistic: ResponseTime.Statistic, of name: String) -> Double? { nil }
  }
}
