extension CrashKit {
  /// How much a breadcrumb matters, with the names and the order of swift-log's levels.
  public enum Level: UInt8, Sendable, Hashable, Comparable, CaseIterable, Codable {
    case trace
    case debug
    case info
    case notice
    case warning
    case error
    case critical

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }
}
