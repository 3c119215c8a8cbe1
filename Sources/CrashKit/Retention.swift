extension CrashKit {
  /// The limits for the reports in a folder. If the reports exceed a limit, CrashKit first removes handled reports,
  /// then reports that were set aside, and last reports that are not yet handled. In each of these groups it begins
  /// with the oldest.
  ///
  /// CrashKit applies the limits soon after each installation, on a separate thread.
  public struct Retention: Sendable, Hashable {
    /// How many reports are kept, at least 1.
    public var count: Int
    /// How long after its event a report is kept. An unhandled report may stay longer, because CrashKit never removes
    /// an unhandled report before a handled report.
    public var age: Duration
    /// How many bytes all reports may take. The newest report is always kept, whatever its size.
    public var bytes: Int

    /// Sets the limits; the defaults are 100 reports, 30 days and 64 MiB.
    public init(count: Int = 100, age: Duration = .seconds(30 * 86400), bytes: Int = 64 << 20) {
      self.count = count
      self.age = age
      self.bytes = bytes
    }
  }
}
