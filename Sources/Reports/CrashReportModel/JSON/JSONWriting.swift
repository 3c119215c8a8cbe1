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
    bytes.append(UInt8(ascii: "\""))
    if text.withUTF8(Self.needsEscapes) {
      text.writeEscaped(to: &bytes)
    } else {
      text.withUTF8 { bytes.append(contentsOf: $0) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A terminal or a log may be the reader: what it would obey is escaped as well.
  private func writeEscaped(to bytes: inout [UInt8]) {
    var bracket = CommandBracket()
    for scalar in unicodeScalars {
      let opensCommand = bracket.opens(with: scalar)
      switch scalar {
      case "\"", "\\":
        bytes.append(UInt8(ascii: "\\"))
        bytes += UTF8.encode(scalar)!
      case "\n": bytes += "\\n".utf8
      case "\r": bytes += "\\r".utf8
      case "\t": bytes += "\\t".utf8
      case _ where opensCommand || scalar.isHazard:
        for unit in UTF16.encode(scalar)! {
          let digits = String(unit, radix: 16)
          bytes += "\\u".utf8
          bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
          bytes += digits.utf8
        }
      default: bytes += UTF8.encode(scalar)!
      }
    }
  }

  /// Looks at eight bytes at a time. What is not ASCII is looked at by characters.
  private static func needsEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var marks: UInt64 = 0
    var start = 0
    while start < bytes.count {
      var word = EightBytes.blanks
      if bytes.count - start >= 8 {
        word = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
      } else {
        for index in start..<bytes.count { word = word << 8 | UInt64(bytes[index]) }
      }
      if EightBytes.needEscapes(word) { return true }
      marks |= EightBytes.having(UInt8(ascii: "#"), in: word)
      start += 8
    }
    return marks != 0 && zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: "#") && $1 == UInt8(ascii: "#") }
  }
}

/// Questions about the eight bytes of a word. An answer that is not 0 means yes.
private enum EightBytes {
  static let blanks = each(UInt8(ascii: " "))

  /// Whether one is no printable ASCII, a quotation mark or a backslash.
  @inline(__always) static func needEscapes(_ word: UInt64) -> Bool {
    let below = (word &- each(0x20)) & ~word & each(0x80)
    return below | word & each(0x80) | having(0x7F, in: word) | having(UInt8(ascii: "\""), in: word)
      | having(UInt8(ascii: "\\"), in: word) != 0
  }

  /// Whether one has a value.
  @inline(__always) static func having(_ byte: UInt8, in word: UInt64) -> UInt64 {
    let differences = word ^ each(byte)
    return (differences &- each(1)) & ~differences & each(0x80)
  }

  @inline(__always) private static func each(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }
}
