import Glibc
import LinuxCalls
import Symbolication

/// The place of one build in the store: `.build-id/xx`, and the names that begin with the rest of its build ID.
struct Shelf {
  /// The store, the tree in it and the folder in that; made when there is something to file.
  private let folders: [String]
  private var folder: String { folders[folders.count - 1] }
  private let name: String

  init(path: String, buildID: String) {
    let tree = path.hasSuffix("/") ? path + ".build-id" : path + "/.build-id"
    folders = [path, tree, "\(tree)/\(buildID.prefix(2))"]
    name = String(buildID.dropFirst(2))
  }

  func path(_ suffix: String) -> String { "\(folder)/\(name)\(suffix)" }

  /// Files what a file has, unless what is there is as good. Who may not read the file may not read the copy either.
  func file(
    _ pieces: FilePieces, of source: WholeFile, as suffix: String, unless isAsGood: (SymbolFacts) -> Bool
  ) throws(FilingFailure) -> SymbolStore.Outcome {
    let (target, targetName) = (path(suffix), name + suffix)
    if SymbolFacts(path: target).map(isAsGood) == true { return .alreadyThere(target) }
    for folder in folders where mkdir(folder, 0o777) != 0 && errno != EEXIST {
      throw FilingFailure(
        kind: .inputOutput, what: "cannot be made: \(errorText(errno))", path: folder)
    }
    let folder = try OpenFolder(path: folder)
    NewFile.removeLeftovers(in: folder)
    let new = try NewFile(in: folder)
    try new.write(pieces)
    new.openToReaders(of: source)
    // Another process may have filed something better meanwhile. Where a file system knows no locks, the last one wins.
    while flock(folder.descriptor, LOCK_EX) != 0, errno == EINTR {}
    defer { flock(folder.descriptor, LOCK_UN) }
    if SymbolFacts(path: target).map(isAsGood) == true { return .alreadyThere(target) }
    try new.place(as: targetName)
    return .filed(target)
  }
}
