import Glibc
import LinuxCalls
import Symbolication

/// A folder of debug information by build ID, in the layout that gdb, lldb, LLVM's tools and debuginfod use:
/// `.build-id/xx/yyyy.debug`. Any number of processes may add files at the same time.
public struct SymbolStore: Sendable {
  /// The result for one file.
  public enum Outcome: Sendable, Hashable {
    /// The file was stored under this path.
    case filed(String)
    /// The store already has a file under this path, with as much information or more.
    case alreadyThere(String)
    /// The file has no debug information, and the store has this debug file of the same build.
    case strippedBefore(String)
  }

  /// The results for one program, library or debug file.
  public struct Addition: Sendable, Hashable {
    /// The path of the program, library or debug file, as it was passed to `add`.
    public var path: String
    /// The results for its debug file, for the package of its `.dwo` files, and for dwz's common file.
    public var outcomes: [Outcome]
    /// Whether the file itself was stripped.
    public var isStripped: Bool
  }

  /// The folder's path.
  public let path: String

  /// Uses this folder. If the folder is missing, it is made when the first file is stored.
  ///
  /// - Throws: `FilingFailure` if the path is not a folder.
  public init(path: String) throws(FilingFailure) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
      throw FilingFailure(kind: .inputOutput, what: "not a folder", path: path)
    }
    self.path = path
  }

  /// Stores the debug information of a program, library or debug file, with its additional files.
  ///
  /// - Parameter stripping: Whether to replace the file, in one step, by a stripped file that names its debug file.
  ///   Debug files stay unchanged.
  /// - Returns: Nil if the file has neither debug information nor symbols, and its debug file is not found. The
  ///   function looks for the debug file next to the file, in the system's folders and in the store.
  /// - Throws: `FilingFailure`. If it throws, the file is unchanged.
  public func add(_ path: String, stripping: Bool = false) throws(FilingFailure) -> Addition? {
    try add(WholeFile(path: stripping ? Self.resolved(path) : path), path, stripping: stripping)
  }

  /// Stores the debug information of a file that `FolderWalk` found, like `add(_:stripping:)` for a path. The function
  /// fails if another file has replaced this file since then.
  public func add(_ file: FolderWalk.File, stripping: Bool = false) throws(FilingFailure) -> Addition? {
    try add(WholeFile(file), file.path, stripping: stripping)
  }

  /// - Parameter others: The files that led to this one. Each names the next as its debug file.
  private func add(named path: String, by others: Set<String>) throws(FilingFailure) -> Addition? {
    // A path that grows with each step is never the same twice.
    guard !others.contains(path), others.count < Self.mostSteps else {
      throw .unusable("names itself as its debug file, directly or through other files", path)
    }
    return try add(WholeFile(path: path), path, stripping: false, namedBy: others)
  }

  private func add(
    _ file: WholeFile, _ path: String, stripping: Bool, namedBy others: Set<String> = []
  ) throws(FilingFailure) -> Addition? {
    guard file.bytes.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]) else {
      throw .unusable("not an ELF file", path)
    }
    let layout = try ELFLayout(file.bytes, path: path)
    guard let facts = SymbolFacts(path: file.path), layout.header.e_type != UInt16(ET_REL) || !layout.isLoadable else {
      throw .unusable("not an executable, a library or a debug file", path)
    }
    guard facts.rank > 0 else {
      if let debugFile = facts.debugPath, debugFile != path {
        return try add(named: debugFile, by: others.union([path]))
      }
      guard let id = facts.buildIDText, id.count > 2 else { return nil }
      let filed = Shelf(path: self.path, buildID: id).path(".debug")
      guard let there = SymbolFacts(path: filed), there.buildID == facts.buildID, there.rank > 0 else { return nil }
      return Addition(path: path, outcomes: [.strippedBefore(filed)], isStripped: false)
    }
    guard let id = facts.buildIDText, id.count > 2 else {
      throw .unusable(
        "has no build ID, so its symbols cannot be stored: link with -Wl,--build-id (-Xlinker --build-id)", path)
    }
    if stripping, layout.isLoadable { try checkStripping(file, layout, path) }
    let shelf = Shelf(path: self.path, buildID: id)
    var outcomes: [Outcome] = []
    if let alternate = facts.alternateName {
      guard let found = facts.alternatePath, let added = try add(named: found, by: others.union([path])) else {
        throw .unusable("shares debug information with other files (dwz), and \(alternate) was not found", path)
      }
      outcomes += added.outcomes
    }
    let package = try self.package(of: facts, path)
    if let package {
      let copy = FilePieces(copyOf: package.bytes)
      outcomes.append(try shelf.file(copy, of: package, as: ".debug.dwp") { _ in false })
    }
    let pieces = layout.isLoadable ? layout.debugFile() : FilePieces(copyOf: file.bytes)
    outcomes.append(
      try shelf.file(pieces, of: file, as: ".debug") { there in
        there.buildID == facts.buildID && there.rank >= facts.rank
      })
    guard stripping, layout.isLoadable else { return Addition(path: path, outcomes: outcomes, isStripped: false) }
    try strip(file, layout, debugFile: shelf.path(".debug"), path)
    return Addition(path: path, outcomes: outcomes, isStripped: true)
  }

  /// A program, its debug file and what dwz shared out are three.
  private static let mostSteps = 8

  private static func resolved(_ path: String) throws(FilingFailure) -> String {
    guard let resolved = resolvedPath(path) else { throw .system("cannot be opened", path) }
    return resolved
  }

  /// The package beside a program of split DWARF.
  private func package(of facts: SymbolFacts, _ path: String) throws(FilingFailure) -> WholeFile? {
    let units = facts.splitUnits
    guard units > 0 else { return nil }
    var candidates = [facts.path + ".dwp"]
    if facts.path.hasSuffix(".debug") { candidates.append(facts.path.dropLast(6) + ".dwp") }
    for candidate in candidates {
      guard let missing = facts.splitUnits(missingIn: candidate) else { continue }
      guard missing == 0 else {
        throw .unusable(
          "\(candidate) lacks \(missing) of the \(units) units of split DWARF that the program needs", path)
      }
      return try WholeFile(path: candidate)
    }
    throw .unusable(
      "its debug information is in .dwo files: pack them first, as with llvm-dwp -e FILE -o FILE.dwp", path)
  }

  private func checkStripping(_ file: WholeFile, _ layout: ELFLayout, _ path: String) throws(FilingFailure) {
    guard file.status.st_nlink == 1 else {
      throw .unusable("has \(file.status.st_nlink) names (hard links), so crashsym does not strip it", path)
    }
    guard !file.isBeingWritten else { throw .unusable("is being written, so it is not stripped", path) }
    let rest = UInt64(file.bytes.count) - min(layout.endOfContents, UInt64(file.bytes.count))
    guard rest < 16 else {
      throw .unusable("has \(rest) bytes after its last section, and stripping would remove them", path)
    }
  }

  private func strip(
    _ file: WholeFile, _ layout: ELFLayout, debugFile: String, _ path: String
  ) throws(FilingFailure) {
    guard let filed = SymbolFacts(path: debugFile) else {
      throw FilingFailure(kind: .inputOutput, what: "cannot be read again", path: debugFile)
    }
    let name = debugFile.split(separator: "/").last.map(String.init) ?? debugFile
    let (folder, fileName) = try Self.place(of: file)
    NewFile.removeLeftovers(in: folder)
    let stripped = try NewFile(in: folder)
    try stripped.write(layout.strippedFile(debugLink: name, checksum: filed.checksum))
    try stripped.takeAttributes(of: file)
    guard file.isUnchanged(fileName, in: folder), !file.isBeingWritten else {
      throw .unusable(WholeFile.changed, path)
    }
    try stripped.place(as: fileName)
  }

  /// The folder that has the file, and the name there.
  private static func place(of file: WholeFile) throws(FilingFailure) -> (OpenFolder, String) {
    let slash = file.path.lastIndex(of: "/")
    let name = slash.map { String(file.path[file.path.index(after: $0)...]) } ?? file.path
    let path = slash.map { $0 == file.path.startIndex ? "/" : String(file.path[..<$0]) } ?? "."
    return (try OpenFolder(path: path), name)
  }
}
