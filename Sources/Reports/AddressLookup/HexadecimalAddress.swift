/// An address in hexadecimal, with or without `0x`.
public struct HexadecimalAddress: Sendable {
  /// The address as a number.
  public var value: UInt64

  /// Reads an address; `nil` if the text is not an address.
  public init?(_ text: String) {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    // The initialiser takes a sign as well.
    guard digits.first?.isHexDigit == true, let value = UInt64(digits, radix: 16) else { return nil }
    self.value = value
  }
}
