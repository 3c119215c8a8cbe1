/// The files of one image, found and open. Several readers may share them.
struct ImageFiles: Sendable {
  let status: ImageStatus
  let image: ImageReference
  let options: SymbolicationOptions
  var file: ELFFile?
  var debugFile: ELFFile?
  fileprivate(set) var alternateFile: ELFFile?
  fileprivate(set) var packagePaths: [String] = []

  init(_ image: ImageReference, _ options: SymbolicationOptions, _ folders: SymbolFolders) {
    self.image = image
    self.options = options
    var search = DebugFileSearch(for: image, options, folders)
    guard let file = search.imageFile() else {
      status = Self.failure(of: search, image)
      return
    }
    self.file = file
    let debugFile = file.hasDebugInfo ? file : search.debugFile(of: file)
    self.debugFile = debugFile
    alternateFile = debugFile.flatMap { search.alternateFile(of: $0) }
    packagePaths = search.packagePaths(of: file, debugFile)
    let symbols = SymbolTables(file, debugFile)
    let hasDWARF = debugFile.flatMap { DWARFFile($0) } != nil
    let kind: DebugInfoKind =
      if hasDWARF, let debugFile { .dwarf(path: debugFile.path) } else if symbols.hasLocalFunctions {
        .symbolTable
      } else {
        symbols.isEmpty ? .none : .dynamicSymbols
      }
    status = .found(path: file.path, debugInfo: kind, searched: hasDWARF ? [] : search.searched)
  }

  private static func failure(of search: DebugFileSearch, _ image: ImageReference) -> ImageStatus {
    let expected = image.buildID.map(BuildID.hex)
    if let mismatch = search.mismatch, let expected {
      return .mismatched(
        path: mismatch.path, expected: expected, found: mismatch.buildID.map(BuildID.hex), searched: search.searched)
    }
    return .missing(buildID: expected, searched: search.searched)
  }
}
