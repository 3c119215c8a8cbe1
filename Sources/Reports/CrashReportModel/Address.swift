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
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
    let digits = text.utf8.dropFirst(2)
    guard (1...16).contains(digits.count), let first = digits.first, first != UInt8(ascii: "+"),
      let value = UInt64(text.dropFirst(2), radix: 16)
    else { return nil }
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
