/// Base64 as in RFC 4648, section 4.
enum Base64 {
  /// Decodes up to the first character that is not in the alphabet, so that text which a log collector adds at the end
  /// of a line does no harm. It accepts `\/`, which some programs write for `/` in JSON. `nil` if nothing is left.
  static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      guard let value = value(of: character) else {
        if character == UInt8(ascii: "\\") { continue }
        break
      }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count % 4 == 0 {
        bytes += [
          UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits),
        ]
      }
    }
    switch count % 4 {
    case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case 3: bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
    default: break
    }
    return bytes.isEmpty ? nil : bytes
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
