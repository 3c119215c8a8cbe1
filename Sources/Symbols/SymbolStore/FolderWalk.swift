import Glibc
import LinuxCalls

/// Searches a folder and its subfolders for ELF files that may have their own debug information.
public enum FolderWalk {
  /// A file that was found, with its identity at that time.
  public struct File: Sendable {
    public let path: String
    let status: stat
  }

  /// Returns the linked ELF files (programs, libraries and debug files) of a folder and its subfolders, sorted by name.
  /// It follows no link. It leaves out object files, files that are not ELF, and `.dwo` and `.dwp` files, which belong
  /// to a program. It also leaves out `.git` folders, and subfolders and files that cannot be read.
  ///
  /// - Throws: `FilingFailure` if the folder itself cannot be read.
  public static func files(in folder: String) throws(FilingFailure) -> [File] {
    let opened = try OpenFolder(path: folder)
    guard let names = opened.names else { throw .system("cannot be read", folder) }
    return files(names, in: opened)
  }

  private static func files(_ names: [String], in folder: OpenFolder) -> [File] {
    var found: [File] = []
    for name in names {
      guard let status = folder.status(of: name) else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        if name != ".git", let inner = OpenFolder(name, in: folder) { found += files(inner.names ?? [], in: inner) }
      } else if status.st_mode & S_IFMT == S_IFREG, !name.hasPrefix(NewFile.prefix) {
        if let status = linkedFile(name, in: folder) { found.append(File(path: folder.path(of: name), status: status)) }
      }
    }
    return found
  }

  /// Which file it is, if it is an ELF file that a linker made.
  private static func linkedFile(_ name: String, in folder: OpenFolder) -> stat? {
    guard !name.hasSuffix(".dwp"), !name.hasSuffix(".dwo") else { return nil }
    let descriptor = folder.open(name)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    var start = [UInt8](repeating: 0, count: 18)
    guard fstat(descriptor, &status) == 0, read(descriptor, &start, start.count) == start.count else { return nil }
    let type = UInt16(start[16]) | UInt16(start[17]) << 8
    let isLinked =
      start.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
      && (type == UInt16(ET_EXEC) || type == UInt16(ET_DYN))
    return isLinked ? status : nil
  }
}
