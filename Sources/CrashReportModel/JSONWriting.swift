extension JSONValue {
  /// The value as JSON on one line, without a line end.
  public var text: String {
    String(decoding: utf8, as: UTF8.self)
  }

  /// The bytes of `text`.
  public var utf8: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// Appends the bytes of `text`.
  public func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .number(let text): bytes += text.utf8
    case .string(let text): text.writeJSON(to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        member.key.writeJSON(to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}

extension String {
  fileprivate func writeJSON(to bytes: inout [UInt8]) {
    var text = self
    text.withUTF8 { Self.writeJSON($0, to: &bytes) }
  }

  private static func writeJSON(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    guard needsEscapes(text) else {
      bytes.append(contentsOf: text)
      bytes.append(UInt8(ascii: "\""))
      return
    }
    for (index, byte) in text.enumerated() {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20, 0x7F:
        bytes += "\\u00".utf8
        bytes += hexPair(byte)
      // A control character beyond ASCII: its second byte has the number of the character.
      case 0xC2 where text[index + 1] < 0xA0: bytes += "\\u00".utf8
      case 0x80..<0xA0 where text[index - 1] == 0xC2: bytes += hexPair(byte)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Looks at every byte, without an early end, so that many are looked at together.
  private static func needsEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var found: UInt8 = 0
    for byte in text {
      found |= byte < 0x20 ? 1 : 0
      found |= byte == 0x22 ? 1 : 0
      found |= byte == 0x5C ? 1 : 0
      found |= byte == 0x7F ? 1 : 0
      found |= byte == 0xC2 ? 1 : 0
    }
    return found != 0
  }

  private static func hexPair(_ byte: UInt8) -> String.UTF8View {
    ((byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
  }
}
