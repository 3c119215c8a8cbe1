import Synchronization

extension Watcher {
  /// A sequence of numbers within 0…1 (splitmix64, Steele, Lea and Flood 2014), for several threads.
  final class NoiseState: Sendable {
    private let state: Atomic<UInt64>

    init(_ seed: UInt64) { state = Atomic(seed) }

    func next() -> Float {
      var mixed = state.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
      mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
      mixed ^= mixed >> 31
      return Float(mixed >> 40) / Float((1 << 24) - 1)
    }
  }
}
