/// The id of an event, made from its content. If an event is sent twice, it has the same id both times.
public struct EventID: Sendable, Hashable {
  /// The id: 32 hexadecimal digits, not all 0.
  public let text: String

  /// The id of these bytes: FNV-1a of 128 bits.
  public init(of bytes: some Sequence<UInt8>) {
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    for byte in bytes { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B }
    let digits = String(max(hash, 1), radix: 16)
    text = String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// Reads the digits; `nil` for anything else.
  init?(_ text: String) {
    guard text.utf8.count == 32, text.contains(where: { $0 != "0" }),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.text = text
  }

  /// The id as a UUID: its digits in groups of 8, 4, 4, 4 and 12.
  public var uuid: String {
    var rest = Substring(text)
    return [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }.joined(separator: "-")
  }
}
