import Histogram
import Synchronization

extension Watcher {
  /// How long an API's endpoints take to answer. Record each call yourself, or let ``measure(_:isolation:_:)`` record
  /// it.
  ///
  /// Each endpoint has a histogram of times from 1 µs to an hour, with two significant digits. You may use it from any
  /// thread.
  public final class ResponseTimes: Sendable {
    /// The largest number of endpoints. Calls of further endpoints are counted under ``otherEndpoints``.
    public static let mostEndpoints = 256
    /// The name under which calls of further endpoints are counted when there are ``mostEndpoints`` endpoints.
    public static let otherEndpoints = "(other)"

    fileprivate struct Record {
      var times = Histogram<UInt64>(
        lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: .two)
      var errors: UInt64 = 0
      var longest: UInt64 = 0
      var sum = 0.0
      var last = 0.0
    }

    private let records = Mutex<[String: Record]>([:])

    /// Makes a record without endpoints.
    public init() {}

    /// Records a call.
    ///
    /// - Parameters:
    ///   - endpoint: A name without parts that differ between calls, such as `GET /breeds`.
    ///   - duration: How long the call took. A negative time counts as 0. In percentiles, a time of more than an hour
    ///     counts as an hour.
    ///   - failed: Whether the call failed.
    public func record(_ endpoint: String, duration: Duration, failed: Bool = false) {
      let (seconds, attoseconds) = duration.components
      let exact = max(0, Double(seconds) + Double(attoseconds) / 1e18)
      let microseconds = UInt64(min(exact * 1e6, 3_600_000_000))
      let now = Double(realNanoseconds()) / 1e9
      records.withLock { records in
        let isKnown = records[endpoint] != nil || records.count < Self.mostEndpoints
        let name = isKnown ? endpoint : Self.otherEndpoints
        records[name, default: Record()].add(microseconds, exact, failed: failed, at: now)
      }
    }

    /// Calls `body` and records how long it took. If `body` throws, the call counts as failed.
    public func measure<Result, Failure: Error>(
      _ endpoint: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
      let start = ContinuousClock.now
      do {
        let result = try await body()
        record(endpoint, duration: start.duration(to: .now))
        return result
      } catch {
        record(endpoint, duration: start.duration(to: .now), failed: true)
        throw error
      }
    }

    /// The figures of all endpoints, by name.
    public var endpoints: [Endpoint] {
      records.withLock { records in
        records.sorted { $0.key < $1.key }.map { $0.value.endpoint($0.key) }
      }
    }

    /// The figures of one endpoint; `nil` if none of its calls was recorded.
    public func endpoint(_ name: String) -> Endpoint? {
      records.withLock { $0[name]?.endpoint(name) }
    }

    /// One figure of an endpoint, without the others' cost; `nil` if it was never called.
    func figure(_ statistic: ResponseTime.Statistic, of name: String) -> Double? {
      records.withLock { $0[name]?.figure(statistic) }
    }
  }
}

extension Watcher.ResponseTimes.Record {
  fileprivate mutating func add(_ microseconds: UInt64, _ seconds: Double, failed: Bool, at now: Double) {
    times.record(microseconds)
    sum += seconds
    longest = max(longest, microseconds)
    if failed { errors += 1 }
    last = now
  }

  fileprivate func figure(_ statistic: Watcher.ResponseTime.Statistic) -> Double {
    switch statistic {
    case .mean: sum / Double(max(1, times.totalCount))
    case .percentile99: percentile(99)
    case .errorRatio: Double(errors) / Double(max(1, times.totalCount))
    }
  }

  fileprivate func endpoint(_ name: String) -> Watcher.ResponseTimes.Endpoint {
    Watcher.ResponseTimes.Endpoint(
      name: name, calls: times.totalCount, errors: errors, mean: figure(.mean),
      median: percentile(50), percentile95: percentile(95), percentile99: percentile(99),
      longest: Double(longest) / 1e6, lastCall: last)
  }

  private func percentile(_ percent: Double) -> Double { Double(min(times.valueAtPercentile(percent), longest)) / 1e6 }
}
