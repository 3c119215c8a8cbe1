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

  /// Looks at every byte, without an early end, so that many are looked at together. What is not ASCII is looked at by
  /// characters.
  private static func needsEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var found: UInt8 = 0
    var marks: UInt8 = 0
    for index in 0..<text.count {
      let byte = text[index]
      found |= byte < 0x20 ? 1 : 0
      found |= byte == 0x22 ? 1 : 0
      found |= byte == 0x5C ? 1 : 0
      found |= byte >= 0x7F ? 1 : 0
      marks |= byte == 0x23 ? 1 : 0
    }
    return found != 0 || (marks != 0 && zip(text, text.dropFirst()).contains { $0 == 0x23 && $1 == 0x23 })
  }
}
