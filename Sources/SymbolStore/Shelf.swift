import Glibc
import Symbolication

/// The place of one build in the store: `.build-id/xx`, and the names that begin with the rest of its build ID.
struct Shelf {
  private let folder: String
  private let name: String

  /// Makes the folders.
  init(path: String, buildID: String) throws(FilingFailure) {
    let tree = path.hasSuffix("/") ? path + ".build-id" : path + "/.build-id"
    folder = "\(tree)/\(buildID.prefix(2))"
    name = String(buildID.dropFirst(2))
    for folder in [tree, folder] where mkdir(folder, 0o777) != 0 && errno != EEXIST {
      throw FilingFailure(
        kind: .inputOutput, what: "cannot be made: \(String(cString: strerror(errno)))", path: folder)
    }
  }

  func path(_ suffix: String) -> String { "\(folder)/\(name)\(suffix)" }

  /// Files a file, unless what is there is as good.
  func file(
    _ pieces: FilePieces, as suffix: String, unless isAsGood: (SymbolFacts) -> Bool
  ) throws(FilingFailure) -> SymbolStore.Outcome {
    let target = path(suffix)
    if SymbolFacts(path: target).map(isAsGood) == true { return .alreadyThere(target) }
    let new = try NewFile(in: folder)
    try new.write(pieces)
    new.openToOthers()
    // Another process may have filed something better meanwhile. Where a file system knows no locks, the last one wins.
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    while descriptor >= 0, flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    removeLeftovers()
    if SymbolFacts(path: target).map(isAsGood) == true { return .alreadyThere(target) }
    try new.place(at: target)
    return .filed(target)
  }

  /// What a process that was killed has left behind.
  private func removeLeftovers() {
    guard let stream = opendir(folder) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var status = stat()
      guard name.hasPrefix(NewFile.prefix), lstat("\(folder)/\(name)", &status) == 0,
        time(nil) - status.st_mtim.tv_sec > Self.oldest
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }

  /// No process takes so many seconds for one file.
  private static let oldest = 3_600
}
