/// What is open of one image, and the look-up of its addresses. Not thread-safe.
final class ImageReader {
  let status: ImageStatus
  private let image: ImageReference
  private let bias: UInt64
  private let isRuntimeImage: Bool
  private let dwarf: DWARFFile?
  private let symbols: SymbolTable?
  private let names: FunctionNames
  private lazy var units = dwarf.map(UnitIndex.init)

  init(_ image: ImageReference, _ options: SymbolicationOptions) {
    self.image = image
    isRuntimeImage = FrameClassifier.isRuntimeImage(image.name)
    names = FunctionNames(full: options.fullNames)
    var search = DebugFileSearch(for: image, options)
    guard let file = search.imageFile() else {
      status = Self.failure(of: search, image)
      bias = image.baseAddress
      dwarf = nil
      symbols = nil
      return
    }
    bias = file.loadBias(baseAddress: image.baseAddress)
    let debugFile = file.hasDebugInfo ? file : search.debugFile(of: file)
    let alternate = debugFile.flatMap { search.alternateFile(of: $0) }.flatMap { DWARFFile($0) }
    dwarf = debugFile.flatMap { DWARFFile($0, alternate: alternate) }
    let full = SymbolTable(".symtab", of: file) ?? debugFile.flatMap { SymbolTable(".symtab", of: $0) }
    symbols = full ?? SymbolTable(".dynsym", of: file)
    let kind: DebugInfoKind =
      if let dwarf { .dwarf(path: dwarf.path) } else if full != nil { .symbolTable } else if symbols != nil {
        .dynamicSymbols
      } else { .none }
    status = .found(path: file.path, debugInfo: kind)
  }

  private static func failure(of search: DebugFileSearch, _ image: ImageReference) -> ImageStatus {
    let expected = image.buildID.map(BuildID.hex)
    if let mismatch = search.mismatch, let expected {
      return .mismatched(
        path: mismatch.path, expected: expected, found: mismatch.buildID.map(BuildID.hex), searched: search.searched)
    }
    return .missing(buildID: expected, searched: search.searched)
  }

  func lookUp(_ address: UInt64, _ kind: AddressKind) -> Lookup {
    let start = address &- bias
    let target = kind == .returnAddress ? start &- 1 : start
    let symbol = symbols?.index(at: target)
    guard let unit = units?.unit(at: target) else { return symbolOnly(symbol, at: start) }
    let tree = unit.functions
    let position = unit.lines?.position(of: target)
    guard let interval = tree.leaves.index(of: target) else {
      var lookup = symbolOnly(symbol, at: start)
      let source = position.flatMap { SourceFinder(unit, tree).exactLocation($0) }
      if !lookup.calls.isEmpty {
        lookup.calls[0].location = source?.location
        lookup.calls[0].isRuntime = lookup.calls[0].isRuntime || source?.isRuntime == true
      }
      return lookup
    }
    return chain(SourceFinder(unit, tree), interval, position, symbol, at: start)
  }

  /// The function by its symbol, without lines.
  private func symbolOnly(_ symbol: Int?, at start: UInt64) -> Lookup {
    guard let symbols, let symbol, let name = names.function(ofSymbol: symbol, in: symbols) else { return Lookup() }
    return Lookup(calls: [
      SymbolicatedCall(
        mangledName: name.mangled, name: name.readable, offset: Int(clamping: start &- symbols.address(of: symbol)),
        isRuntime: isRuntimeImage || name.isRuntime)
    ])
  }

  private func chain(
    _ finder: SourceFinder, _ interval: Int, _ position: LineTable.Position?, _ symbol: Int?, at start: UInt64
  ) -> Lookup {
    var lookup = Lookup()
    let tree = finder.tree
    let nodes = tree.chain(from: Int(tree.leaves.intervals[interval].value))
    var inner: FunctionTree.Node?
    for index in nodes {
      let node = tree.nodes[index]
      var name = names.function(of: node, in: tree.unit)
      let source = finder.location(
        of: index, calling: inner, interval: interval, position: position, declaration: name)
      inner = node
      if let failure = name.runtimeFailure {
        lookup.runtimeFailure = lookup.runtimeFailure ?? failure
        continue
      }
      var functionStart = node.low
      if !node.isInlined, let symbols, let symbol, let linked = names.function(ofSymbol: symbol, in: symbols) {
        name = linked
        functionStart = symbols.address(of: symbol)
      }
      lookup.calls.append(
        SymbolicatedCall(
          mangledName: name.mangled, name: name.readable,
          offset: node.isInlined ? nil : Int(clamping: Int64(bitPattern: start &- functionStart)),
          location: source?.location, isInlined: node.isInlined,
          isRuntime: isRuntimeImage || name.isRuntime || source?.isRuntime == true))
    }
    return lookup
  }
}
