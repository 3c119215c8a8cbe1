/// An address in the crashed process: in a report the string `0x%016x`.
public struct Address: Sendable, Hashable, Comparable, CustomStringConvertible, JSONRepresentable {
  /// The address as a number.
  public var value: UInt64

  /// Wraps a number.
  public init(_ value: UInt64) {
    self.value = value
  }

  /// Reads `0x` and up to sixteen hexadecimal digits; `nil` for anything else.
  public init?(_ text: String) {
    var text = text
    let value = text.withUTF8 { bytes -> UInt64? in
      guard (3...18).contains(bytes.count), bytes[0] == UInt8(ascii: "0"),
        bytes[1] == UInt8(ascii: "x") || bytes[1] == UInt8(ascii: "X")
      else { return nil }
      var value: UInt64 = 0
      for byte in bytes[2...] {
        guard let digit = Unicode.Scalar(byte).hexDigit else { return nil }
        value = value << 4 | UInt64(digit)
      }
      return value
    }
    guard let value else { return nil }
    self.value = value
  }

  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }

  public var json: JSONValue { .string(description) }

  /// The report's spelling: `0x` and sixteen lower-case digits.
  public var description: String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  public static func < (left: Address, right: Address) -> Bool { left.value < right.value }
}
