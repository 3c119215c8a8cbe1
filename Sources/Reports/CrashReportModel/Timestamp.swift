/// A time in UTC to the microsecond, in the form of RFC 3339.
public struct Timestamp: Sendable, Hashable, Comparable, JSONRepresentable {
  /// The time in the report's form.
  public let text: String
  /// Microseconds since 1970-01-01T00:00:00Z.
  public let microseconds: Int64

  init(text: String, microseconds: Int64) {
    self.text = text
    self.microseconds = microseconds
  }

  /// Reads `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`; `nil` for anything else.
  public init?(_ text: String) {
    var scan = DigitScan(text)
    guard let year = scan.number(4), scan.skip("-"), let month = scan.number(2), scan.skip("-"),
      let day = scan.number(2), scan.skip("T") || scan.skip("t") || scan.skip(" "),
      let hour = scan.number(2), scan.skip(":"), let minute = scan.number(2), scan.skip(":"),
      let second = scan.number(2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    let fraction = scan.skip(".") ? scan.microseconds() : 0
    guard let fraction, let offset = scan.utcOffset(), scan.isAtEnd else { return nil }
    self.text = text
    let days = Self.days(year: year, month: month, day: day)
    microseconds = (days * 86400 + hour * 3600 + minute * 60 + second - offset) * 1_000_000 + fraction
  }

  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }

  public var json: JSONValue { .string(text) }

  /// Seconds from the other time to this one.
  public func seconds(since other: Timestamp) -> Double {
    Double(microseconds - other.microseconds) / 1_000_000
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

  /// Days from 1970-01-01 in the Gregorian calendar, counting years from March so that a leap day comes last.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let marchMonth = (month + 9) % 12
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
  }
}

/// Reads fixed runs of digits.
private struct DigitScan {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(_ count: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// A fraction of a second; digits beyond the sixth are dropped.
  mutating func microseconds() -> Int64? {
    guard var value = digit() else { return nil }
    var count = 1
    while let next = digit() {
      if count < 6 { value = value * 10 + next }
      count += 1
    }
    for _ in min(count, 6)..<6 { value *= 10 }
    return value
  }

  /// Seconds east of UTC.
  mutating func utcOffset() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int64
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = number(2), skip(":"), let minutes = number(2) else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  private mutating func digit() -> Int64? {
    guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    rest.removeFirst()
    return Int64(byte - UInt8(ascii: "0"))
  }
}
