extension Watcher {
  /// What a metric is at one instant: a finite value, or the reason why there is none.
  public enum Reading: Sendable, Hashable {
    /// The value, in the metric's unit.
    case value(Quantity)
    /// There is none, for this reason.
    case unavailable(Unavailability)

    /// Calls `measure` and keeps what it returns or throws.
    public init(_ measure: () throws(Unavailability) -> Quantity) {
      do { self = .value(try measure()) } catch { self = .unavailable(error) }
    }

    /// The value; `nil` where there is none.
    public var value: Double? {
      if case .value(let quantity) = self { quantity.value } else { nil }
    }

    /// The reason why there is no value; `nil` where there is one.
    public var unavailability: Unavailability? {
      if case .unavailable(let reason) = self { reason } else { nil }
    }
  }
}
