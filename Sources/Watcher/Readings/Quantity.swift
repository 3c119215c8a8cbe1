extension Watcher {
  /// A finite number. It can be neither infinite nor NaN.
  public struct Quantity: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number, always finite.
    public let value: Double

    /// The number 0.
    public static let zero = Quantity(known: 0)

    private init(known value: Double) { self.value = value }

    /// Checks a number.
    ///
    /// - Throws: ``Unavailability/notFinite(_:)`` if it is infinite or NaN.
    public init(_ value: Double) throws(Unavailability) {
      guard value.isFinite else { throw .notFinite(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf") }
      self.value = value
    }

    /// Checks a ratio. A number outside 0…1 is refused and never clamped.
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
