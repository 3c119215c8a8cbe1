extension CrashKit {
  /// How many reports a folder keeps. Where it is too many, the oldest go: those that were handled first, then those set
  /// aside, and those not yet handled only when there is no other left.
  ///
  /// Applied shortly after each installation, on a thread of its own.
  public struct Retention: Sendable, Hashable {
    /// How many reports are kept, at least 1.
    public var count: Int
    /// How long after its event a report is kept. One that was not handled stays while any that was is there.
    public var age: Duration
    /// How many bytes all of them may take. The newest one is kept whatever its size.
    public var bytes: Int

    /// Sets bounds; the defaults are 100 reports, 30 days and 64 MiB.
    public init(count: Int = 100, age: Duration = .seconds(30 * 86400), bytes: Int = 64 << 20) {
      self.count = count
      self.age = age
      self.bytes = bytes
    }
  }
}
