extension Timestamp {
  /// Makes a time from whole microseconds since 1970-01-01T00:00:00Z. A time outside of the years 1970 to 9999 becomes
  /// the nearest time in these years.
  public init(microsecondsSince1970 microseconds: Int64) {
    let calendar = UTCCalendar(microsecondsSince1970: microseconds)
    self.init(text: calendar.text(dash: "-", colon: ":", fractionDigits: 6), microseconds: calendar.microseconds)
  }

  /// The time in the form of report file names: `20261121T082435.997Z`.
  public var fileNameText: String {
    UTCCalendar(microsecondsSince1970: microseconds).text(dash: "", colon: "", fractionDigits: 3)
  }

  /// Reads the form of a report file's name.
  public init?(fileNameText text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count == 20, digits[8] == UInt8(ascii: "T"), digits[15] == UInt8(ascii: ".") else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    self.init(
      "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<20))")
  }
}

/// A moment in the fields of the Gregorian calendar.
private struct UTCCalendar {
  /// The last time whose year has four digits.
  private static let last: Int64 = 253_402_300_799_999_999

  let microseconds: Int64
  private var date: (year: Int64, month: Int64, day: Int64)

  init(microsecondsSince1970: Int64) {
    microseconds = min(max(microsecondsSince1970, 0), Self.last)
    // Counting years from March, so that a leap day comes last, in cycles of 400 years.
    let shifted = microseconds / 86_400_000_000 + 719_468
    let (cycle, dayOfCycle) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    date = (cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  func text(dash: String, colon: String, fractionDigits: Int) -> String {
    let second = microseconds / 1_000_000
    let day = [(date.year, 4), (date.month, 2), (date.day, 2)].map(Self.padded).joined(separator: dash)
    let time = [(second / 3600 % 24, 2), (second / 60 % 60, 2), (second % 60, 2)].map(Self.padded)
    let fraction = Self.padded(microseconds % 1_000_000, 6).prefix(fractionDigits)
    return "\(day)T\(time.joined(separator: colon)).\(fraction)Z"
  }

  private static func padded(_ number: Int64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
