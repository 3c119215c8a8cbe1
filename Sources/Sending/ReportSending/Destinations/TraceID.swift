/// The ids of a trace and of a span, as W3C's Trace Context has them.
enum TraceID {
  /// Whether a text has exactly `digits` lower-case hexadecimal digits, not all 0.
  static func isValid(_ text: String, digits: Int) -> Bool {
    text.utf8.count == digits && text.contains { $0 != "0" }
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// The bytes of a valid id.
  static func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }
}
