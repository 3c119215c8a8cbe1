extension CrashKit {
  /// The importance of a breadcrumb, with the names and the order of swift-log's levels.
  public enum Level: UInt8, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Steps inside a function, for its author.
    case trace
    /// Details that help to find a mistake.
    case debug
    /// Normal steps of the program.
    case info
    /// Normal, but worth attention.
    case notice
    /// Something that may become an error.
    case warning
    /// Something failed.
    case error
    /// Something failed, and the program needs help at once.
    case critical

    /// Compares the importance: `trace` is the lowest level, and `critical` the highest.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }
}
