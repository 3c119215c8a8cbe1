extension CrashKit {
  /// How much a breadcrumb matters, with the names and the order of swift-log's levels.
  public enum Level: UInt8, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Steps inside a function, for the one who writes it.
    case trace
    /// What helps to find a mistake.
    case debug
    /// What the program does.
    case info
    /// What is normal, but worth attention.
    case notice
    /// What may become an error.
    case warning
    /// Something failed.
    case error
    /// Something failed, and the program needs help at once.
    case critical

    /// A level is less than those after it: `trace` is the least, `critical` the greatest.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }
}
