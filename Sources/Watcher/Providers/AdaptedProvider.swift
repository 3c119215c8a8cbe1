extension Watcher {
  /// A metric in the older shape: a number at a time, and an error where there is none.
  public protocol MetricProviderUseCase: Sendable {
    /// The number now. A ratio lies within 0…1.
    func fetchMetric() throws -> Float
  }

  /// Makes a provider of one in the older shape. What is no finite number, or a ratio outside 0…1, becomes the reason for
  /// a missing reading, and is not moved to the nearest end.
  public struct AdaptedProvider: MetricProvider {
    /// What is measured.
    public let metric: Metric
    private let provider: any MetricProviderUseCase

    /// Names the metric that `provider` measures.
    public init(_ provider: any MetricProviderUseCase, metric: Metric) {
      self.provider = provider
      self.metric = metric
    }

    /// Asks the provider. What it throws, or a number that is not finite, is a sample without a value.
    public func sample() -> Sample {
      Sample(
        level(of: metric) { () throws(Unavailability) in
          do {
            return Double(try provider.fetchMetric())
          } catch let reason as Unavailability {
            throw reason
          } catch {
            throw .failed(String(describing: error))
          }
        }, at: clockNanoseconds())
    }
  }
}
