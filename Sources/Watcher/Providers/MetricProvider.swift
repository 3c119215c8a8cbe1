extension Watcher {
  /// Takes samples of a metric. It keeps no previous sample: rates are made by the ``RateMeter`` of whoever asks.
  ///
  /// The other files of this folder have the providers of the metrics of ``Metric``. `Docs/contributing.md` lists what
  /// else a new one touches.
  public protocol MetricProvider: Sendable {
    /// What is measured.
    var metric: Metric { get }

    /// What there is to tell now. Called from any thread, also from several at once; it may read small files and must not
    /// wait for anything else.
    func sample() -> Sample
  }

  /// A provider of Watcher's own that reads nothing but what the kernel makes up in memory, so that several may take turns
  /// on a queue. A battery, which firmware is asked for, and a disk, which may be far away, are none.
  protocol PromptProvider: MetricProvider {}

  /// A metric in the older shape: a number at a time, and an error where there is none.
  public protocol MetricProviderUseCase: Sendable {
    /// The number now. A ratio lies within 0…1.
    func fetchMetric() throws -> Float
  }

  /// Makes a provider of one in the older shape. What is no finite number, or a ratio outside 0…1, becomes the reason for
  /// a missing reading, and is not moved to the nearest end.
  public struct AdaptedProvider: MetricProvider {
    public let metric: Metric
    private let provider: any MetricProviderUseCase

    public init(_ provider: any MetricProviderUseCase, metric: Metric) {
      self.provider = provider
      self.metric = metric
    }

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

extension Watcher {
  /// A level, or the reason why there is none.
  static func level(of metric: Metric, _ measure: () throws(Unavailability) -> Double) -> Sample.Content {
    do {
      let value = try measure()
      return .level(try metric.unit == .ratio ? Quantity(ratio: value) : Quantity(value))
    } catch {
      return .unavailable(error)
    }
  }

  /// Counters, or the reason why there are none.
  static func counters(_ measure: () throws(Unavailability) -> Sample.Content) -> Sample.Content {
    do { return try measure() } catch { return .unavailable(error) }
  }
}
