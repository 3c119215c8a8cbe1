import CrashReportModel

/// Numbers and times as the text view spells them.
enum Formatting {
  /// A number with `digits` digits after the point, rounded to the nearest.
  static func fixed(_ value: Double, digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    guard let whole = Int64(exactly: (value.magnitude * scale).rounded()) else { return value.description }
    let text = String(whole)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    let sign = value < 0 && whole != 0 ? "-" : ""
    return sign + padded.dropLast(digits) + (digits > 0 ? "." : "") + padded.suffix(digits)
  }

  /// A number of bytes with a binary unit.
  static func bytes(_ count: Int) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"]
    guard count.magnitude >= 1024 else { return counted(count, "byte") }
    var value = Double(count)
    var unit = -1
    while value.magnitude >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    return "\(fixed(value, digits: 1)) \(units[unit])"
  }

  /// Seconds, minutes, hours or days.
  static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<60: "\(fixed(seconds, digits: 1)) s"
    case ..<3600: "\(fixed(seconds / 60, digits: 1)) min"
    case ..<86400: "\(fixed(seconds / 3600, digits: 1)) h"
    default: "\(fixed(seconds / 86400, digits: 1)) days"
    }
  }

  /// A moment to the millisecond.
  static func moment(_ timestamp: Timestamp) -> String {
    let parts = timestamp.text.split(separator: "T")
    guard parts.count == 2, parts[1].hasSuffix("Z") else { return timestamp.text }
    let time = parts[1].dropLast().split(separator: ".")
    let fraction = time.count == 2 ? ".\(time[1].prefix(3))" : ""
    return "\(parts[0]) \(time[0])\(fraction) UTC"
  }

  /// A value of the report that may be of any type.
  static func text(of value: JSONValue) -> String {
    if case .string(let text) = value { return text }
    return value.text
  }
}

extension String {
  /// How many columns the text takes where it is shown, escapes included.
  var columns: Int { harmless.count }

  /// The text with blanks after it, up to a width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// The text with blanks before it, up to a width.
  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - columns)) + self
  }
}
