/// How long nothing is sent after a server took nothing.
enum Backoff {
  private static let first = 2.0
  private static let longest = 300.0
  /// What a server may ask for: a day.
  static let longestPause = 86_400.0

  /// Seconds after so many failures in a row: twice as many each time, between half of that and all of it by chance.
  ///
  /// - Parameters:
  ///   - asked: What the server asked for; it counts alone.
  ///   - chance: A number from 0 to 1.
  static func seconds(failures: Int, asked: Double?, chance: Double) -> Double {
    if let asked { return min(max(asked, 1), longestPause) }
    var seconds = first
    for _ in 1..<min(max(failures, 1), 16) { seconds = min(seconds * 2, longest) }
    return seconds * (0.5 + 0.5 * chance)
  }
}
