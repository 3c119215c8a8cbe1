/// How long to send nothing after a server did not accept an event.
enum Backoff {
  private static let first = 2.0
  private static let longest = 300.0
  /// The longest pause that a server may ask for, in seconds: a day.
  static let longestPause = 86_400.0

  /// How many seconds to wait after `failures` failures in a row. The time doubles with each failure, up to a limit;
  /// `chance` picks a value between half of it and all of it.
  ///
  /// - Parameters:
  ///   - asked: The seconds that the server asked for. If it asked, only this counts.
  ///   - chance: A number from 0 to 1.
  static func seconds(failures: Int, asked: Double?, chance: Double) -> Double {
    if let asked { return min(max(asked, 1), longestPause) }
    var seconds = first
    for _ in 1..<min(max(failures, 1), 16) { seconds = min(seconds * 2, longest) }
    return seconds * (0.5 + 0.5 * chance)
  }
}
