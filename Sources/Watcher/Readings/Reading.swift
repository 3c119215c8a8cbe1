extension Watcher {
  /// A metric at one moment: a finite value, or the reason why there is no value.
  public enum Reading: Sendable, Hashable {
    /// The value, in the metric's unit.
    case value(Quantity)
    /// There is no value, for this reason.
    case unavailable(Unavailability)

    /// Calls `measure`. The reading is the result, or the error that `measure` throws.
    public init(_ measure: () throws(Unavailability) -> Quantity) {
      do { self = .value(try measure()) } catch { self = .unavailable(error) }
    }

    /// The value; `nil` if there is none.
    public var value: Double? {
      if case .value(let quantity) = self { quantity.value } else { nil }
    }

    /// The reason why there is no value; `nil` if there is a value.
    public var unavailability: Unavailability? {
      if case .unavailable(let reason) = self { reason } else { nil }
    }
  }
}
