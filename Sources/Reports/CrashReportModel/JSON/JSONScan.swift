/// Follows the grammar of a JSON number byte by byte (RFC 8259, section 6).
struct JSONNumberScan {
  private enum State { case start, minus, zero, integer, point, fraction, exponent, sign, exponentDigits }
  private var state = State.start

  /// Whether the bytes so far are a whole number.
  var isComplete: Bool {
    switch state {
    case .zero, .integer, .fraction, .exponentDigits: true
    default: false
    }
  }

  /// Takes the byte if it can continue a number.
  mutating func accept(_ byte: UInt8) -> Bool {
    guard let next = follow(byte) else { return false }
    state = next
    return true
  }

  private func follow(_ byte: UInt8) -> State? {
    let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    switch (state, byte) {
    case (.start, UInt8(ascii: "-")): return .minus
    case (.start, UInt8(ascii: "0")), (.minus, UInt8(ascii: "0")): return .zero
    case (.start, _), (.minus, _): return isDigit ? .integer : nil
    case (.integer, _) where isDigit: return .integer
    case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): return .point
    case (.point, _) where isDigit, (.fraction, _) where isDigit: return .fraction
    case (.zero, UInt8(ascii: "e")), (.zero, UInt8(ascii: "E")), (.integer, UInt8(ascii: "e")),
      (.integer, UInt8(ascii: "E")), (.fraction, UInt8(ascii: "e")), (.fraction, UInt8(ascii: "E")):
      return .exponent
    case (.exponent, UInt8(ascii: "+")), (.exponent, UInt8(ascii: "-")): return .sign
    case (.exponent, _), (.sign, _), (.exponentDigits, _): return isDigit ? .exponentDigits : nil
    default: return nil
    }
  }
}

/// Reads the inside of a JSON string.
enum JSONStringScan {
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  /// The string whose first byte after the quote is at `start`, and the offset after its closing quote; `nil` if it
  /// does not end, holds a raw line end (JSON has none: the writer was cut off there), or a wrong escape.
  static func read(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (text: String, end: Int)? {
    var end = start
    var hasEscapes = false
    while end < bytes.count, bytes[end] != quote {
      if isBad(bytes[end]) { return nil }
      if bytes[end] == backslash {
        hasEscapes = true
        end += 1
      }
      end += 1
    }
    guard end < bytes.count else { return nil }
    let inside = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    guard hasEscapes else { return (String(decoding: inside, as: UTF8.self), end + 1) }
    guard let text = unescape(inside) else { return nil }
    return (text, end + 1)
  }

  /// Where reading from `start` had to stop.
  static func firstBadByte(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var offset = start
    while offset < bytes.count, bytes[offset] != quote, !isBad(bytes[offset]) {
      offset += bytes[offset] == backslash ? 2 : 1
    }
    return min(offset, bytes.count)
  }

  private static func isBad(_ byte: UInt8) -> Bool { byte == 0 || byte == 0x0A || byte == 0x0D }

  private static func unescape(_ bytes: UnsafeRawBufferPointer) -> String? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == backslash else {
        result.append(bytes[index])
        index += 1
        continue
      }
      guard index + 1 < bytes.count else { return nil }
      let escape = bytes[index + 1]
      index += 2
      switch escape {
      case quote, backslash, UInt8(ascii: "/"): result.append(escape)
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        guard let scalar = unicodeEscape(bytes, &index) else { return nil }
        result.append(contentsOf: Array(String(scalar).utf8))
      default: return nil
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The character of `\uXXXX` whose digits start at `index`, a following low surrogate included.
  private static func unicodeEscape(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Unicode.Scalar? {
    guard let first = fourDigits(bytes, at: index) else { return nil }
    index += 4
    if (0xD800..<0xDC00).contains(first), index + 5 < bytes.count, bytes[index] == backslash,
      bytes[index + 1] == UInt8(ascii: "u"), let second = fourDigits(bytes, at: index + 2),
      (0xDC00..<0xE000).contains(second)
    {
      index += 6
      return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }
    return Unicode.Scalar(first) ?? "\u{FFFD}"
  }

  private static func fourDigits(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[index..<index + 4] {
      guard let digit = Unicode.Scalar(byte).hexDigit else { return nil }
      value = value << 4 + digit
    }
    return value
  }
}

extension Unicode.Scalar {
  /// The value of an ASCII hexadecimal digit.
  var hexDigit: UInt32? {
    switch self {
    case "0"..."9": value - 0x30
    case "a"..."f": value - 0x61 + 10
    case "A"..."F": value - 0x41 + 10
    default: nil
    }
  }
}
