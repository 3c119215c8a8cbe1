extension Watcher {
  /// The older protocol for providers, beside ``MetricProvider``. A provider returns one number, or throws an error.
  public protocol MetricProviderUseCase: Sendable {
    /// Returns the current number. A ratio must be within 0…1.
    func fetchMetric() throws -> Float
  }

  /// Makes a ``MetricProvider`` from a ``MetricProviderUseCase``. If the provider's number is not finite, the sample
  /// has no value, and the reason is ``Unavailability/notFinite(_:)``. If the number is a ratio outside 0…1, the reason
  /// is ``Unavailability/outOfRange(_:)``. The number is not clamped.
  public struct AdaptedProvider: MetricProvider {
    /// The metric.
    public let metric: Metric
    private let provider: any MetricProviderUseCase

    /// Adapts `provider`. Its numbers are values of `metric`.
    public init(_ provider: any MetricProviderUseCase, metric: Metric) {
      self.provider = provider
      self.metric = metric
    }

    /// Asks the provider. An error, or a number that is not finite, gives a sample without a value.
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
