import Glibc
import LinuxCalls

/// The ELF files in a folder and those below it that may have debug information of their own.
public enum FolderWalk {
  /// The paths, in the order of their names. Links are not followed; object files, `.dwo` and `.dwp` files, which go with
  /// a program, and what is no ELF file are left out.
  ///
  /// - Throws: `FilingFailure` where the folder itself cannot be read.
  public static func files(in folder: String) throws(FilingFailure) -> [String] {
    guard let names = names(in: folder) else { throw .system("cannot be read", folder) }
    return files(names, in: folder)
  }

  private static func files(_ names: [String], in folder: String) -> [String] {
    var found: [String] = []
    for name in names {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        if name != ".git" { found += files(self.names(in: path) ?? [], in: path) }
      } else if status.st_mode & S_IFMT == S_IFREG, !name.hasPrefix(NewFile.prefix), isLinked(path, name) {
        found.append(path)
      }
    }
    return found
  }

  private static func names(in folder: String) -> [String]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = entry.name
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func isLinked(_ path: String, _ name: String) -> Bool {
    guard !name.hasSuffix(".dwp"), !name.hasSuffix(".dwo") else { return false }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var start = [UInt8](repeating: 0, count: 18)
    guard read(descriptor, &start, start.count) == start.count else { return false }
    let type = UInt16(start[16]) | UInt16(start[17]) << 8
    return start.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
      && (type == UInt16(ET_EXEC) || type == UInt16(ET_DYN))
  }
}
