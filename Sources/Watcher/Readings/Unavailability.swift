extension Watcher {
  /// Why a reading holds no value.
  public enum Unavailability: Error, Sendable, Hashable, CustomStringConvertible {
    /// A rate needs two samples, and this was the first.
    case firstSample
    /// Too little time went by, or too few of the kernel's ticks, since the previous sample for their ratio to mean
    /// anything.
    case intervalTooShort
    /// A counter has gone back, as `iowait` may, or its device was replaced.
    case counterWentBack(String)
    /// This machine has none: no battery, no such disk, no control group.
    case noDevice(String)
    /// The kernel does not let this process see it.
    case notPermitted(String)
    /// A provider delivered something that is no number, or an infinite one: `nan`, `inf` or `-inf`.
    case notFinite(String)
    /// A provider of a ratio delivered a number outside 0…1.
    case outOfRange(Double)
    /// There is nothing yet to take a mean of.
    case nothingMeasured
    /// What the kernel told could not be understood, or the provider failed otherwise.
    case failed(String)

    /// Whether the next sample is expected to bring a value without anything having been mended.
    public var isPassing: Bool {
      switch self {
      case .firstSample, .intervalTooShort, .counterWentBack, .nothingMeasured: true
      case .noDevice, .notPermitted, .notFinite, .outOfRange, .failed: false
      }
    }

    /// The reason, in a few words.
    public var description: String {
      switch self {
      case .firstSample: "first sample"
      case .intervalTooShort: "interval too short"
      case .counterWentBack(let what): "counter went back: \(what)"
      case .noDevice(let what): "no device: \(what)"
      case .notPermitted(let what): "not permitted: \(what)"
      case .notFinite(let what): "not a finite number: \(what)"
      case .outOfRange(let value): "out of range: \(value)"
      case .nothingMeasured: "nothing measured yet"
      case .failed(let what): what
      }
    }
  }
}
