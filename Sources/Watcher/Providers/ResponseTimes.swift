import Histogram
import Synchronization

extension Watcher {
  /// How long an API's endpoints take to answer. Record each call, or let ``measure(_:_:)`` do it.
  ///
  /// Times are kept in a histogram for each endpoint, to two significant digits from 1 µs to an hour. May be used from any
  /// thread.
  public final class ResponseTimes: Sendable {
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

    /// Calls of further endpoints are counted under ``otherEndpoints``.
    public static let mostEndpoints = 256
    /// The name under which calls of endpoints beyond ``mostEndpoints`` are counted.
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

    public init() {}

    /// Notes a call.
    ///
    /// - Parameters:
    ///   - endpoint: A name without what differs from call to call, as `GET /breeds`.
    ///   - duration: How long it took; a negative time counts as none, one beyond an hour as an hour in percentiles.
    ///   - failed: Whether it failed.
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

    /// Calls `body` and notes how long it took; it failed where it throws.
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

    /// What is known of every endpoint, by name.
    public var endpoints: [Endpoint] {
      records.withLock { records in
        records.sorted { $0.key < $1.key }.map { $0.value.endpoint($0.key) }
      }
    }

    /// What is known of one endpoint; `nil` where it was never called.
    public func endpoint(_ name: String) -> Endpoint? {
      records.withLock { $0[name]?.endpoint(name) }
    }

    /// One figure of an endpoint, without the others' cost; `nil` where it was never called.
    fileprivate func figure(_ statistic: ResponseTime.Statistic, of name: String) -> Double? {
      records.withLock { $0[name]?.figure(statistic) }
    }
  }

  /// One figure of an endpoint's answers as a metric.
  public struct ResponseTime: PromptProvider {
    /// Which figure it is.
    public enum Statistic: Sendable, Hashable {
      /// The mean time of all calls, in seconds.
      case mean
      /// The 99th percentile of their times, in seconds.
      case percentile99
      /// The part of the calls that failed.
      case errorRatio
    }

    public let metric: Metric
    private let times: ResponseTimes
    private let endpoint: String
    private let statistic: Statistic

    public init(of endpoint: String, _ statistic: Statistic = .mean, in times: ResponseTimes) {
      self.times = times
      self.endpoint = endpoint
      self.statistic = statistic
      switch statistic {
      case .mean: metric = Metric("api.response_time.mean \(endpoint)", unit: .seconds)
      case .percentile99: metric = Metric("api.response_time.p99 \(endpoint)", unit: .seconds)
      case .errorRatio: metric = Metric("api.errors \(endpoint)", unit: .ratio)
      }
    }

    public func sample() -> Sample {
      let content = level(of: metric) { () throws(Unavailability) in
        guard let figure = times.figure(statistic, of: endpoint) else { throw .nothingMeasured }
        return figure
      }
      return Sample(content, at: clockNanoseconds())
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
