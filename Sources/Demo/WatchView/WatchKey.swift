/// A key of the terminal.
public enum WatchKey: Sendable, Equatable {
  case character(Character)
  case up, down, left, right, pageUp, pageDown, tab, backTab
}

/// Turns a terminal's bytes into keys. If only the first part of a key's bytes has arrived, the decoder keeps this part
/// until the rest arrives.
public struct KeyDecoder: Sendable {
  private var pending: [UInt8] = []

  public init() {}

  /// Returns the keys whose last byte is among these bytes.
  public mutating func keys(of bytes: [UInt8]) -> [WatchKey] {
    pending += bytes
    var keys: [WatchKey] = []
    while let (key, length) = Self.first(of: pending) {
      pending.removeFirst(length)
      if let key { keys.append(key) }
    }
    // Longer than any key: this is no terminal that we know.
    if pending.count > 32 { pending = [] }
    return keys
  }

  /// Drops the kept part of a key. Call it if the rest does not arrive: then the user pressed Escape, which has no
  /// function here.
  public mutating func giveUpWaiting() { pending = [] }

  public var isWaiting: Bool { !pending.isEmpty }

  private static func first(of bytes: [UInt8]) -> (WatchKey?, Int)? {
    guard let byte = bytes.first else { return nil }
    switch byte {
    case 0x09: return (.tab, 1)
    case 0x1b: return sequence(bytes)
    case 0x20..<0x7f: return (.character(Character(Unicode.Scalar(byte))), 1)
    case 0x0c: return (.character("\u{c}"), 1)
    default: return (nil, 1)
    }
  }

  /// `ESC [ parameters final` and `ESC O final` (ECMA-48).
  private static func sequence(_ bytes: [UInt8]) -> (WatchKey?, Int)? {
    guard bytes.count > 1 else { return nil }
    guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else { return (nil, 1) }
    guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7e).contains($0) }) else { return nil }
    let text = String(decoding: bytes[2...end], as: UTF8.self)
    return (known[text], end + 1)
  }

  private static let known: [String: WatchKey] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "5~": .pageUp, "6~": .pageDown, "Z": .backTab,
  ]
}
