extension Watcher {
  /// A metric of an endpoint's calls: their mean time, their 99th percentile or their share of errors.
  public struct ResponseTime: PromptProvider {
    /// What the metric measures.
    public enum Statistic: Sendable, Hashable {
      /// The mean time of all calls, in seconds.
      case mean
      /// The 99th percentile of the times of all calls, in seconds.
      case percentile99
      /// The share of calls that failed.
      case errorRatio
    }

    /// The metric.
    public let metric: Metric
    private let times: ResponseTimes
    private let endpoint: String
    private let statistic: Statistic

    /// Measures a statistic of one endpoint, from the records of `times`.
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

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = level(of: metric) { () throws(Unavailability) in
        guard let figure = times.figure(statistic, of: endpoint) else { throw .nothingMeasured }
        return figure
      }
      return Sample(content, at: clockNanoseconds())
    }
  }
}
