/// The files of one image, found and open. Several readers may share them.
struct ImageFiles: Sendable {
  let status: ImageStatus
  let image: ImageReference
  let options: SymbolicationOptions
  var file: ELFFile?
  var debugFile: ELFFile?
  fileprivate(set) var alternateFile: ELFFile?
  fileprivate(set) var packagePaths: [String] = []
  /// What an index of these files has to be of; nil if none is wanted or possible.
  fileprivate(set) var indexKey: IndexKey?
  fileprivate(set) var index: IndexFile?
  let symbolOrders = SymbolOrders()

  init(_ image: ImageReference, _ options: SymbolicationOptions, _ sources: SymbolSources) {
    self.image = image
    self.options = options
    var search = DebugFileSearch(for: image, options, sources)
    guard let file = search.imageFile() else {
      status = Self.failure(of: search, image)
      return
    }
    self.file = file
    let debugFile = file.hasDebugInfo ? file : search.debugFile(of: file)
    self.debugFile = debugFile
    alternateFile = debugFile.flatMap { search.alternateFile(of: $0) }
    packagePaths = search.packagePaths(of: file, debugFile)
    if let folder = options.index.map(IndexFolder.init),
      let key = IndexKey(
        file: file, debugFile: debugFile, alternateFile: alternateFile, packagePaths: packagePaths)
    {
      indexKey = key
      index = folder.index(key)
    }
    let kind = Self.kind(file, debugFile, index)
    let hasDWARF = if case .dwarf = kind { true } else { false }
    var searched = hasDWARF ? [] : search.searched
    for file in [file, debugFile] {
      guard let file, let refusal = file.refusal else { continue }
      searched = searched.filter { $0 != file.path && $0 != refusal } + [refusal]
      // An index would not show why nothing was found.
      (indexKey, index) = (nil, nil)
    }
    status = .found(path: file.path, debugInfo: kind, searched: searched)
  }

  /// To find out takes decompressing, where files are compressed; an index knows.
  private static func kind(_ file: ELFFile, _ debugFile: ELFFile?, _ index: IndexFile?) -> DebugInfoKind {
    if let debugFile, index?.hasDWARF == true || DWARFFile(debugFile) != nil { return .dwarf(path: debugFile.path) }
    if let index { return index.debugInfo }
    let symbols = SymbolTables(file, debugFile)
    return symbols.hasLocalFunctions ? .symbolTable : symbols.isEmpty ? .none : .dynamicSymbols
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

extension ELFFile {
  /// The file with what was not read of it, in words.
  fileprivate var refusal: String? {
    refusedSection.map { section in
      "\(path) (its \(section.name) claims to be \(section.size >> 20) MiB when decompressed and is not read)"
    }
  }
}

extension IndexFile {
  var hasDWARF: Bool { flags & IndexFormat.Flag.hasDWARF != 0 }

  /// Whether addresses that lie in no unit's ranges may be in units that do not say where they are.
  var hasUnrangedUnits: Bool { flags & IndexFormat.Flag.hasUnrangedUnits != 0 }

  /// Whether it has the symbol for each address.
  var hasSymbols: Bool { flags & IndexFormat.Flag.hasSymbols != 0 }

  /// The other sources of names, if there is no DWARF.
  var debugInfo: DebugInfoKind {
    switch flags & IndexFormat.Flag.kindMask {
    case 1: .symbolTable
    case 2: .dynamicSymbols
    default: .none
    }
  }
}

extension DebugInfoKind {
  /// As an index has it.
  var indexFlags: UInt32 {
    switch self {
    case .dwarf: IndexFormat.Flag.hasDWARF
    case .symbolTable: 1
    case .dynamicSymbols: 2
    case .none: 0
    }
  }
}
