extension Watcher {
  /// A sequence of numbers that are all alike.
  struct NoiseState: Sendable {
    init(_ seed: UInt64) {}

    func next() -> Float { 0.5 }
  }
}
