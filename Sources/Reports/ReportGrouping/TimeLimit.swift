import CrashReportModel

/// The earliest time of wanted reports.
public struct TimeLimit: Sendable, Hashable {
  /// The earliest time.
  public let start: Timestamp

  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800]

  /// Reads a duration before `now` (such as `7d`, `24h`, `30m`, `45s` or `2w`), an RFC 3339 time, or a date. A date
  /// means 00:00 UTC on that day. The result is `nil` for any other text.
  public init?(_ text: String, now: Timestamp) {
    if let time = Timestamp(text) ?? Timestamp(text + "T00:00:00Z") {
      start = time
      return
    }
    guard let unit = text.last.flatMap({ Self.units[$0] }), text.utf8.count <= 8,
      text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(text.dropLast())
    else { return nil }
    start = Timestamp(microsecondsSince1970: now.microseconds - number * unit * 1_000_000)
  }

  /// Whether a time is within the limit. An unknown time is not.
  public func contains(_ time: Timestamp?) -> Bool { time.map { $0 >= start } ?? false }
}
