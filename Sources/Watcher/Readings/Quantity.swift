extension Watcher {
  /// A finite number. There is no way to make one that is infinite or not a number.
  public struct Quantity: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number, always finite.
    public let value: Double

    /// 0.
    public static let zero = Quantity(known: 0)

    private init(known value: Double) { self.value = value }

    /// Takes a number in.
    ///
    /// - Throws: ``Unavailability/notFinite(_:)`` where it is infinite or not a number.
    public init(_ value: Double) throws(Unavailability) {
      guard value.isFinite else { throw .notFinite(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf") }
      self.value = value
    }

    /// Takes a ratio in. What lies outside 0…1 is refused and never moved to the nearest end.
    ///
    /// - Throws: ``Unavailability/notFinite(_:)`` or ``Unavailability/outOfRange(_:)``.
    public init(ratio: Double) throws(Unavailability) {
      try self.init(ratio)
      guard (0...1).contains(ratio) else { throw .outOfRange(ratio) }
    }

    /// Compares the values.
    public static func < (left: Quantity, right: Quantity) -> Bool { left.value < right.value }

    /// The value.
    public var description: String { "\(value)" }
  }
}
