/// Bytes that cannot be part of a user's name in a path.
private func endsName(_ byte: UInt8) -> Bool {
  byte <= UInt8(ascii: " ") || byte == 0x7f || "/\\:,;\"'`()[]{}<>|&=?*#!".utf8.contains(byte)
}

private func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

/// Whether `home` may begin after this byte: `/var/home`, `file=home/…`, and not `wellhome` or `my.home`.
private func precedesFolder(_ byte: UInt8?) -> Bool {
  guard let byte else { return true }
  let isLetter = (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
  let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  return !(isLetter || isDigit || byte >= 0x80 || "._-+~@".utf8.contains(byte))
}

extension String {
  /// What stands in place of a user's name.
  private static let hiddenUser = "[user]"
  private static let folders = ["home", "Users"].map { Array($0.utf8) }

  /// The text with the names of users in paths replaced: each name after a folder `home` or `Users`. What follows the
  /// path is kept: `/home/alice: permission denied` becomes `/home/[user]: permission denied`.
  package var withUsersScrubbed: String {
    let bytes = Array(utf8)
    var kept: [UInt8] = []
    var next = 0
    for index in bytes.indices where index >= next {
      guard let name = Self.name(in: bytes, after: index) else { continue }
      kept += bytes[next..<name.lowerBound] + Array(Self.hiddenUser.utf8)
      next = name.upperBound
    }
    return next == 0 ? self : String(decoding: kept + bytes[next...], as: UTF8.self)
  }

  /// Where a user's name stands if the folder of users begins at this index.
  private static func name(in bytes: [UInt8], after start: Int) -> Range<Int>? {
    guard bytes[start] == UInt8(ascii: "h") || bytes[start] == UInt8(ascii: "U") else { return nil }
    let before = start > 0 ? bytes[start - 1] : nil
    guard let folder = folders.first(where: { bytes[start...].starts(with: $0) }), precedesFolder(before) else {
      return nil
    }
    var index = start + folder.count
    // A backslash separates only within a path: "no home\n" has none.
    guard index < bytes.count, isSeparator(bytes[index]) else { return nil }
    guard bytes[index] == UInt8(ascii: "/") || before.map(isSeparator) == true else { return nil }
    while index < bytes.count, isSeparator(bytes[index]) || isDot(bytes, index) { index += 1 }
    var end = index
    while end < bytes.count, !endsName(bytes[end]) { end += 1 }
    // A sentence may end here. The folder above has no name.
    while end > index, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
    return end > index ? index..<end : nil
  }

  /// Whether the `.` at this index stands for the folder itself: `/home/./alice`.
  private static func isDot(_ bytes: [UInt8], _ index: Int) -> Bool {
    bytes[index] == UInt8(ascii: ".") && isSeparator(bytes[index - 1]) && index + 1 < bytes.count
      && isSeparator(bytes[index + 1])
  }
}
