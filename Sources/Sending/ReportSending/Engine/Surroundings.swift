import CrashReportModel
import Glibc

/// The functions that a drainer gets from its caller. Tests replace them.
public struct Surroundings: Sendable {
  /// The time of day.
  public var now: @Sendable () -> Timestamp
  /// A random number from 0 to 1. It varies the pause before the next try, so that many hosts do not all try again at
  /// the same moment.
  public var chance: @Sendable () -> Double
  /// Prints a line about an error: what happened, and in which file or folder.
  public var note: @Sendable (_ what: String, _ place: String) -> Void

  public init(
    now: @escaping @Sendable () -> Timestamp = Self.timeOfDay,
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    note: @escaping @Sendable (_ what: String, _ place: String) -> Void
  ) {
    self.now = now
    self.chance = chance
    self.note = note
  }

  @Sendable public static func timeOfDay() -> Timestamp {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(microsecondsSince1970: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
  }
}
