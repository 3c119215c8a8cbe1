extension Watcher {
  /// Gives numbers that vary within a range, for previews and tests. The same seed gives the same numbers.
  public struct NoisyProvider: MetricProviderUseCase {
    private let state: NoiseState
    private let range: ClosedRange<Float>

    /// - Parameters:
    ///   - range: The range of the numbers, with finite ends.
    ///   - seed: Decides all numbers.
    public init(in range: ClosedRange<Float> = 0...1, seed: UInt64 = 1) {
      self.range = range
      state = NoiseState(seed)
    }

    /// Returns the next number.
    public func fetchMetric() -> Float {
      // A mean of three is more often in the middle than at the ends, as loads are.
      let mean = (state.next() + state.next() + state.next()) / 3
      return range.lowerBound + (range.upperBound - range.lowerBound) * mean
    }
  }
}
