import Glibc
import LinuxCalls

/// A file of a store, open for reading. The caller must close the descriptor.
public struct StoredFile: Sendable {
  /// The kind of a build's file.
  public enum Kind: String, Sendable, CaseIterable {
    case debuginfo
    case executable

    /// The end of its name.
    var suffix: String { self == .debuginfo ? ".debug" : "" }
  }

  public let descriptor: Int32
  public let size: Int
  /// When the file was last changed: seconds since 1970, and nanoseconds of the second.
  public let changed: (seconds: Int, nanoseconds: Int)
  /// The path of the file in the store.
  public let name: String
}

/// Reads a store: a folder with `.build-id/xx/yyyy.debug` and `.build-id/xx/yyyy`.
public final class StoreReader: Sendable {
  /// 64 bytes, as of SHA-512.
  private static let longestBuildID = 128

  private let folder: OpenFolder

  /// - Throws: `FilingFailure` if there is no such folder.
  public init(path: String) throws(FilingFailure) { folder = try OpenFolder(path: path) }

  /// Opens the file of a build. The function follows no link, so it opens nothing outside the store.
  ///
  /// - Parameter buildID: In hexadecimal digits.
  /// - Returns: `nil` if there is no such file.
  public func open(_ kind: StoredFile.Kind, buildID: String) -> StoredFile? {
    guard Self.isBuildID(buildID) else { return nil }
    let (first, rest) = (String(buildID.prefix(2)), buildID.dropFirst(2) + kind.suffix)
    guard let tree = OpenFolder(".build-id", in: folder), let shelf = OpenFolder(first, in: tree) else { return nil }
    let descriptor = shelf.open(String(rest))
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return StoredFile(
      descriptor: descriptor, size: Int(status.st_size),
      changed: (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)), name: ".build-id/\(first)/\(rest)")
  }

  /// The build IDs of all files of this kind in the store, sorted. Links are left out.
  public func buildIDs(_ kind: StoredFile.Kind) -> [String] {
    guard let tree = OpenFolder(".build-id", in: folder) else { return [] }
    return (tree.names ?? []).flatMap { first -> [String] in
      guard let shelf = OpenFolder(first, in: tree) else { return [] }
      return (shelf.names ?? []).compactMap { name in
        guard name.hasSuffix(kind.suffix), (shelf.status(of: name)?.st_mode ?? 0) & S_IFMT == S_IFREG else {
          return nil
        }
        let id = first + name.dropLast(kind.suffix.utf8.count)
        return Self.isBuildID(id) ? id : nil
      }
    }
  }

  /// Whether a text is a build ID: pairs of lower-case hexadecimal digits.
  public static func isBuildID(_ text: String) -> Bool {
    (4...longestBuildID).contains(text.utf8.count) && text.utf8.count % 2 == 0
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
