/// Numbers as people read them.
package enum Figures {
  /// A number with its unit: `ratio`, `bytes`, `bytesPerSecond` or `seconds`; any other is a count.
  package static func text(_ value: Double, _ unit: some RawRepresentable<String>) -> String {
    switch unit.rawValue {
    case "ratio": decimal(value * 100) + " %"
    case "bytes": bytes(value)
    case "bytesPerSecond": bytes(value) + "/s"
    case "seconds": seconds(value)
    default: decimal(value)
    }
  }

  /// The number with one digit after the point.
  package static func decimal(_ value: Double) -> String {
    guard abs(value) < 1e15 else { return "\(value)" }
    let tenths = Int((value * 10).rounded())
    return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }

  /// In powers of 1000.
  package static func bytes(_ value: Double) -> String {
    var (value, units) = (value, ["B", "kB", "MB", "GB", "TB", "PB"][...])
    while abs(value) >= 1000, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    let isCount = units.first == "B" && value.isFinite
    return (isCount ? String(Int(value.rounded())) : decimal(value)) + " " + (units.first ?? "")
  }

  /// In milliseconds if it is less than a second.
  package static func seconds(_ value: Double) -> String {
    abs(value) < 1 ? decimal(value * 1000) + " ms" : decimal(value) + " s"
  }
}
