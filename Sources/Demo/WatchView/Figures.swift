import Watcher

/// Numbers as people read them.
enum Figures {
  static func text(_ value: Double, _ unit: Watcher.Metric.Unit) -> String {
    switch unit {
    case .ratio: decimal(value * 100) + " %"
    case .bytes: bytes(value)
    case .bytesPerSecond: bytes(value) + "/s"
    case .seconds: seconds(value)
    case .count: decimal(value)
    }
  }

  /// With one place behind the point.
  static func decimal(_ value: Double) -> String {
    guard abs(value) < 1e15 else { return "\(value)" }
    let tenths = Int((value * 10).rounded())
    return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }

  static func bytes(_ value: Double) -> String {
    var (value, units) = (value, ["B", "kB", "MB", "GB", "TB", "PB"][...])
    while value >= 1000, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    return (units.first == "B" ? String(Int(value.rounded())) : decimal(value)) + " " + (units.first ?? "")
  }

  static func seconds(_ value: Double) -> String {
    value < 1 ? decimal(value * 1000) + " ms" : decimal(value) + " s"
  }

  /// The time of day of so many seconds since 1970.
  static func time(_ date: Double, _ style: ViewStyle) -> String {
    let seconds = (Int(date) + style.timeOffset) % 86400
    let ofDay = seconds < 0 ? seconds + 86400 : seconds
    return [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
  }
}
