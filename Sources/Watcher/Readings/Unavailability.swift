extension Watcher {
  /// Why a reading has no value.
  public enum Unavailability: Error, Sendable, Hashable, CustomStringConvertible {
    /// A rate needs two samples, and this was the first.
    case firstSample
    /// The time since the previous sample is too short for a useful rate, or the kernel counted too few ticks in this
    /// time.
    case intervalTooShort
    /// A counter has gone back, as `iowait` may, or its device was replaced. The value names the counter.
    case counterWentBack(String)
    /// This machine has no such device: no battery, no such disk, no control group. The value names the device or its
    /// file.
    case noDevice(String)
    /// The kernel does not let this process read the file or folder that the value names.
    case notPermitted(String)
    /// A provider returned NaN or an infinite number: `nan`, `inf` or `-inf`.
    case notFinite(String)
    /// A provider of a ratio returned a number outside 0…1.
    case outOfRange(Double)
    /// Nothing was measured yet, so there is no mean.
    case nothingMeasured
    /// The kernel's text could not be read, or the provider failed in another way.
    case failed(String)

    /// Whether the reason is temporary, so that the next sample should have a value.
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
      case .counterWentBack(let what): "the value of a counter decreased: \(what)"
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
