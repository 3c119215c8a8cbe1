import Glibc
import LinuxCalls

/// Finds the `.dwo` half of a unit of split DWARF.
enum SplitUnit {
  /// Nil if the unit is not split, has no code (Clang's module skeletons name a `.pcm` that way), or the file is
  /// missing or of another build.
  static func open(for skeleton: Unit) -> Unit? {
    guard let name = skeleton.string(skeleton.splitName), let identity = skeleton.splitID,
      skeleton.rangeList.kind != .none || skeleton.lowAddress.kind != .none
    else { return nil }
    if let packed = skeleton.file.package?.file(of: identity), let unit = unit(identity, of: packed, for: skeleton) {
      return unit
    }
    for path in candidates(name: name, skeleton) {
      guard let file = ELFFile(path: path), let dwarf = DWARFFile(file, isSplit: true),
        let unit = unit(identity, of: dwarf, for: skeleton)
      else { continue }
      return unit
    }
    return nil
  }

  private static func unit(_ identity: UInt64, of split: DWARFFile, for skeleton: Unit) -> Unit? {
    guard let unit = split.units.first(where: { $0.splitID == identity }) else { return nil }
    unit.adopt(skeleton)
    skeleton.splitFile = split
    return unit
  }

  private static func candidates(name: String, _ skeleton: Unit) -> [String] {
    let besideImage = FilePath.directory(of: skeleton.file.path)
    let base = FilePath.lastComponent(of: name)
    var paths: [String] = []
    if name.hasPrefix("/") {
      paths.append(name)
    } else if let directory = skeleton.string(skeleton.directory) {
      paths.append(FilePath.join(directory, name))
    }
    paths.append(FilePath.join(besideImage, name))
    paths.append(FilePath.join(besideImage, base))
    return paths
  }
}

/// Paths as strings.
enum FilePath {
  static func join(_ directory: String, _ name: String) -> String {
    if directory.isEmpty { return name }
    if name.isEmpty { return directory }
    return directory.hasSuffix("/") || name.hasPrefix("/") ? directory + name : directory + "/" + name
  }

  static func lastComponent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// A folder's path from the root, links followed; the path as it is if there is no such folder.
  static func absolute(_ directory: String) -> String {
    guard let resolved = resolvedPath(directory) else { return directory }
    return resolved
  }

  static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
