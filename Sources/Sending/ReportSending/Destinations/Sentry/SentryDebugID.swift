/// Sentry's id of a build. Events and uploads of debug files use the same id.
public enum SentryDebugID {
  /// The first 16 bytes of a build ID as a UUID whose first three fields are little-endian.
  public static func text(_ buildID: String?) -> String {
    let digits = Array((buildID ?? "").utf8).filter { Character(Unicode.Scalar($0)).isHexDigit }
    var bytes = stride(from: 0, to: min(digits.count, 32) - 1, by: 2).map {
      String(decoding: digits[$0...$0 + 1], as: UTF8.self).lowercased()
    }
    bytes += Array(repeating: "00", count: 16 - bytes.count)
    let order = [3, 2, 1, 0, -1, 5, 4, -1, 7, 6, -1, 8, 9, -1, 10, 11, 12, 13, 14, 15]
    return order.map { $0 < 0 ? "-" : bytes[$0] }.joined()
  }
}
