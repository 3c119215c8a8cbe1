/// The path of a source file in parts, without `.`, without doubled slashes and with `..` taken back.
///
/// Its bytes are split, never its characters: a slash and an accent behind it are one character.
struct SourcePath: Hashable {
  var isAbsolute: Bool
  var parts: [String]
  /// Whether it climbs out of the folder that it begins in: where that lies is not known.
  private(set) var climbs = false

  /// A longer path is not taken for a source file's.
  private static let mostParts = 256

  /// `nil` for a path that names no file: an empty path, the compiler's own code, a path of more than 256 parts.
  init?(_ text: String) {
    guard !text.isEmpty, !text.utf8.contains(0), !text.hasSuffix("<compiler-generated>") else { return nil }
    isAbsolute = text.utf8.first == UInt8(ascii: "/")
    parts = []
    let pieces = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2 * Self.mostParts)
    guard pieces.count <= Self.mostParts else { return nil }
    for piece in pieces {
      let part = String(Substring(piece))
      switch part {
      case ".": break
      case "..":
        if parts.isEmpty { climbs = !isAbsolute } else { parts.removeLast() }
      default: parts.append(part)
      }
    }
  }

  /// A path that is relative to some folder.
  init(folder parts: [String]) { (isAbsolute, self.parts) = (false, parts) }

  /// The parts below a folder, or `nil` if the path does not lie in it.
  func parts(below folder: SourcePath) -> [String]? {
    guard isAbsolute == folder.isAbsolute, !climbs, parts.starts(with: folder.parts) else { return nil }
    return Array(parts.dropFirst(folder.parts.count))
  }

  /// The path as text.
  var text: String { (isAbsolute ? "/" : "") + parts.joined(separator: "/") }

  func appending(_ more: [String]) -> SourcePath {
    var path = self
    path.parts += more
    return path
  }
}
