import CrashReportModel

extension CrashReport.Metric {
  /// The last value with its unit, or that there is none. What has a fraction is rounded to four digits: a reader
  /// compares, and the report itself has all of them.
  var text: String {
    guard let value = fields["value"] else { return "no value" }
    let number = Self.rounded(value)
    return unit.map { "\(number) \($0)" } ?? number
  }

  /// The same for the threshold, without the unit.
  var thresholdText: String? { fields["threshold"].map(Self.rounded) }

  /// Neither beyond its threshold nor a value that is none.
  var isSound: Bool { state != "critical" && value?.isFinite != false }

  private static func rounded(_ value: JSONValue) -> String {
    guard case .number(let text) = value, text.contains(where: { ".eE".contains($0) }), let number = Double(text),
      number.magnitude < 1e9
    else { return Formatting.text(of: value) }
    if number == 0 { return "0" }
    var digits = 3
    var bound = 1.0
    while digits > 0, number.magnitude >= bound * 10 { (digits, bound) = (digits - 1, bound * 10) }
    while digits < 12, number.magnitude < bound { (digits, bound) = (digits + 1, bound / 10) }
    let result = Formatting.fixed(number, digits: digits)
    guard digits > 0 else { return result }
    let shortest = result.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(shortest.reversed())
  }
}
