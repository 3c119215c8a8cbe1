/// Bytes that cannot be part of a user's name in a path.
private func endsName(_ byte: UInt8) -> Bool {
  byte <= UInt8(ascii: " ") || byte == 0x7f || "/\\:,;\"'`()[]{}<>|&=?*#!".utf8.contains(byte)
}

private func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

private func isLetter(_ byte: UInt8) -> Bool {
  (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
}

private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

/// Also letters beyond ASCII, which have their own capitals.
private func isCapital(_ byte: UInt8) -> Bool {
  (byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")) || byte >= 0x80
}

/// Whether `home` may begin after this byte: `/var/home`, `file=home/…`, and not `wellhome` or `my.home`.
private func precedesFolder(_ byte: UInt8?) -> Bool {
  guard let byte else { return true }
  return !(isLetter(byte) || isDigit(byte) || byte >= 0x80 || "._-+~@".utf8.contains(byte))
}

/// A folder that holds the folders of users.
private struct UsersFolder {
  let name: [UInt8]
  /// Its users may have names of several words: "Alice Smithson".
  var hasSpaces = false
  /// It holds other folders too, unless it stands at the top or below "run", and a folder of the user follows.
  var isOfVolumes = false
  /// It is a short or a common word: it must stand at the top.
  var isTopOnly = false
  /// A folder of the user must follow.
  var needsMore = false

  init(
    _ name: String, hasSpaces: Bool = false, isOfVolumes: Bool = false, isTopOnly: Bool = false, needsMore: Bool = false
  ) {
    self.name = Array(name.utf8)
    self.hasSpaces = hasSpaces
    self.isOfVolumes = isOfVolumes
    self.isTopOnly = isTopOnly
    self.needsMore = needsMore
  }

  static let all = [
    Self("home"), Self("Users", hasSpaces: true), Self("Documents and Settings", hasSpaces: true),
    Self("media", isOfVolumes: true), Self("homes", needsMore: true), Self("u", isTopOnly: true, needsMore: true),
    Self("var/mail", isTopOnly: true), Self("var/spool/mail", isTopOnly: true),
    Self("var/spool/cron/crontabs", isTopOnly: true),
  ]

  /// Folders whose separators may be in percent encoding.
  static let encoded = ["home", "Users"].flatMap { name in
    ["%2F\(name)%2F", "%2f\(name)%2f"].map { Array($0.utf8) }
  }

  /// The text that a JVM writes before a user's name: "/tmp/hsperfdata_alice".
  static let prefix = Array("hsperfdata_".utf8)

  /// Folders below "/u" that are no users.
  static let others = Set(
    ["apps", "local", "data", "lib", "share", "src", "bin", "opt", "tmp", "v1", "v2"].map { Array($0.utf8) })

  /// Folders below "home" that hold the folders of a group.
  static let groups = Set(
    ["students", "student", "staff", "faculty", "users", "user", "people", "guests", "employees", "local"].map {
      Array($0.utf8)
    })
}

/// The places of user names in the bytes of a text.
private struct UserNameSearch {
  let bytes: [UInt8]

  /// The place of a user's name, if a folder of users, or `~`, begins at this index.
  func name(at start: Int) -> Range<Int>? {
    let before = start > 0 ? bytes[start - 1] : nil
    switch bytes[start] {
    case UInt8(ascii: "~"): return precedesFolder(before) ? nameBehindTilde(start + 1) : nil
    case UInt8(ascii: "%"):
      let folder = UsersFolder.encoded.first { bytes[start...].starts(with: $0) }
      return folder.flatMap { word(from: start + $0.count) }
    case UInt8(ascii: "h") where bytes[start...].starts(with: UsersFolder.prefix):
      return precedesFolder(before) ? word(from: start + UsersFolder.prefix.count) : nil
    case UInt8(ascii: "h"), UInt8(ascii: "U"), UInt8(ascii: "D"), UInt8(ascii: "m"), UInt8(ascii: "u"),
      UInt8(ascii: "v"):
      break
    default: return nil
    }
    guard precedesFolder(before), let folder = UsersFolder.all.last(where: { bytes[start...].starts(with: $0.name) }),
      !(folder.isOfVolumes || folder.isTopOnly) || isTop(start)
    else { return nil }
    if folder.needsMore { return nameBefore(folder: start + folder.name.count) }
    return name(in: folder, endingAt: start + folder.name.count, before: before)
  }

  private func name(in folder: UsersFolder, endingAt end: Int, before: UInt8?) -> Range<Int>? {
    var index = end
    // "/home2", "/home10"
    if folder.name.first == UInt8(ascii: "h"), before.map(isSeparator) == true {
      while index < bytes.count, index < end + 3, isDigit(bytes[index]) { index += 1 }
    }
    // A backslash separates only within a path: "no home\n" has none.
    guard index < bytes.count, isSeparator(bytes[index]) else { return nil }
    guard bytes[index] == UInt8(ascii: "/") || before.map(isSeparator) == true else { return nil }
    let found = component(from: index, hasSpaces: folder.hasSpaces)
    if folder.isOfVolumes, let name = found {
      return name.upperBound + 1 < bytes.count && isSeparator(bytes[name.upperBound]) ? name : nil
    }
    // "/home/students/alice"
    guard let group = found, UsersFolder.groups.contains(Array(bytes[group])) else { return found }
    if let inner = component(from: group.upperBound, hasSpaces: false) { return inner }
    // What a first time has replaced: "/home/students/[user]"
    let isReplaced = bytes[group.upperBound...].dropFirst().first == UInt8(ascii: "[")
    return isReplaced ? nil : group
  }

  /// A name in a word, which a character in percent encoding ends too.
  private func word(from start: Int) -> Range<Int>? {
    let end = bytes[start...].firstIndex { endsName($0) || $0 == UInt8(ascii: "%") } ?? bytes.count
    return end > start ? start..<end : nil
  }

  /// The component after the separator at this index, if it looks like a user's name and another component follows.
  private func nameBefore(folder start: Int) -> Range<Int>? {
    guard let name = component(from: start, hasSpaces: false), isLetter(bytes[name.lowerBound]),
      !UsersFolder.others.contains(Array(bytes[name])), name.upperBound + 1 < bytes.count,
      isSeparator(bytes[name.upperBound]), !isSeparator(bytes[name.upperBound + 1]),
      bytes[name.upperBound + 1] > UInt8(ascii: " ")
    else { return nil }
    return name
  }

  /// The component of the path after the separator at this index.
  private func component(from start: Int, hasSpaces: Bool) -> Range<Int>? {
    var index = start
    guard index < bytes.count, isSeparator(bytes[index]) else { return nil }
    while index < bytes.count, isSeparator(bytes[index]) || isDot(index) { index += 1 }
    var end = index
    while end < bytes.count, !endsName(bytes[end]) { end += 1 }
    if hasSpaces, end > index { end = endOfWords(end) }
    // A sentence may end here. The folder above has no name.
    while end > index, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
    return end > index ? index..<end : nil
  }

  /// Where a name of several words ends: capitals begin them, and a separator or a quote follows.
  private func endOfWords(_ start: Int) -> Int {
    var end = start
    for _ in 0..<3 {
      guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: " "), isCapital(bytes[end + 1]) else { break }
      end += 1
      while end < bytes.count, !endsName(bytes[end]) { end += 1 }
    }
    guard end > start, end < bytes.count else { return start }
    return isSeparator(bytes[end]) || "\"'`".utf8.contains(bytes[end]) ? end : start
  }

  /// "~alice/x"
  private func nameBehindTilde(_ start: Int) -> Range<Int>? {
    var end = start
    while end < bytes.count, isLetter(bytes[end]) || isDigit(bytes[end]) || "._-".utf8.contains(bytes[end]) {
      end += 1
    }
    guard end > start, isLetter(bytes[start]), end < bytes.count, bytes[end] == UInt8(ascii: "/") else { return nil }
    return start..<end
  }

  /// Whether the folder is "/media" or "/run/media", and not "/srv/media".
  private func isTop(_ start: Int) -> Bool {
    guard start > 0, bytes[start - 1] == UInt8(ascii: "/") else { return false }
    let above = start - 1
    if above >= 4, bytes[..<above].suffix(4).elementsEqual("/run".utf8) { return true }
    return above == 0 || (precedesFolder(bytes[above - 1]) && !isSeparator(bytes[above - 1]))
  }

  /// Whether the `.` at this index stands for the folder itself: `/home/./alice`.
  private func isDot(_ index: Int) -> Bool {
    bytes[index] == UInt8(ascii: ".") && isSeparator(bytes[index - 1]) && index + 1 < bytes.count
      && isSeparator(bytes[index + 1])
  }
}

extension String {
  /// The text that replaces a user's name.
  private static let hiddenUser = "[user]"

  /// The text with the names of users in paths replaced: each name after a folder such as `home` or `Users`. What follows
  /// the path is kept: `/home/alice: permission denied` becomes `/home/[user]: permission denied`.
  package var withUsersScrubbed: String {
    let search = UserNameSearch(bytes: Array(utf8))
    var kept: [UInt8] = []
    var next = 0
    for index in search.bytes.indices where index >= next {
      guard let name = search.name(at: index) else { continue }
      kept += search.bytes[next..<name.lowerBound] + Array(Self.hiddenUser.utf8)
      next = name.upperBound
    }
    return next == 0 ? self : String(decoding: kept + search.bytes[next...], as: UTF8.self)
  }
}
