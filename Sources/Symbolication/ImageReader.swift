/// Looks up addresses of one image. Not thread-safe, but several may read the same files.
final class ImageReader {
  private let bias: UInt64
  private let isRuntimeImage: Bool
  private let dwarf: DWARFFile?
  private let symbols: SymbolTables?
  private let names: FunctionNames
  private lazy var units = dwarf.map(UnitIndex.init)
  private var decoded = DecodedUnits()

  init(_ files: ImageFiles) {
    let base = files.image.baseAddress
    bias = files.file?.loadBias(baseAddress: base) ?? base
    isRuntimeImage = FrameClassifier.isRuntimeImage(files.image.name)
    names = FunctionNames(full: files.options.fullNames, classifies: files.options.classifiesFunctions)
    let alternate = files.alternateFile.flatMap { DWARFFile($0) }
    dwarf = files.debugFile.flatMap { DWARFFile($0, alternate: alternate) }
    dwarf?.packagePaths = files.packagePaths
    symbols = files.file.map { SymbolTables($0, files.debugFile) }
  }

  func lookUp(_ address: UInt64, _ kind: AddressKind) -> Lookup {
    let start = address &- bias
    let target = kind == .returnAddress ? start &- 1 : start
    let symbol = symbols?.symbol(at: target)
    guard let unit = units?.unit(at: target) else { return symbolOnly(symbol, at: start) }
    decoded.use(unit)
    let tree = unit.functions
    let position = unit.lines?.position(of: target)
    guard let interval = tree.leaves.index(of: target) else {
      let source = position.flatMap { SourceFinder(unit, tree).exactLocation($0) }
      return symbolOnly(symbol, at: start, source)
    }
    return chain(SourceFinder(unit, tree), interval, position, symbol, at: start)
  }

  /// What is known without a function's entry: its symbol, and a line where there are line tables.
  private func symbolOnly(_ symbol: SymbolTables.Found?, at start: UInt64, _ source: SourceFinder.Source? = nil)
    -> Lookup
  {
    if let (name, symbolStart) = symbolName(symbol) {
      let call = SymbolicatedCall(
        mangledName: name.mangled, name: name.readable, offset: Int(clamping: start &- symbolStart),
        start: symbolStart, location: source?.location,
        isRuntime: isRuntimeImage || name.isRuntime || source?.isRuntime == true)
      return Lookup(calls: [call])
    }
    guard let source, source.location.line != 0 else { return Lookup() }
    let call = SymbolicatedCall(
      mangledName: nil, name: FunctionName.unnamed.readable, location: source.location,
      isRuntime: isRuntimeImage || source.isRuntime)
    return Lookup(calls: [call])
  }

  private func symbolName(_ found: SymbolTables.Found?) -> (name: FunctionName, start: UInt64)? {
    guard let found, let name = names.function(of: found.symbol, in: found.table) else { return nil }
    return (name, found.symbol.address)
  }

  private func chain(
    _ finder: SourceFinder, _ interval: Int, _ position: LineTable.Position?, _ symbol: SymbolTables.Found?,
    at start: UInt64
  ) -> Lookup {
    var lookup = Lookup()
    let tree = finder.tree
    var inner: FunctionTree.Node?
    var index = Int(tree.leaves.intervals[interval].value)
    while index >= 0, lookup.calls.count < Limits.inlineDepth {
      let node = tree.nodes[index]
      let recorded = finder.recorded(calling: inner, position: position)
      let source = recorded.flatMap { finder.location($0, of: index, interval: interval, position: position) }
      inner = node
      index = Int(node.parent)
      // The symbol's name is what the linker and other tools call it: that of a part or a copy, where it is one.
      let linked = node.isInlined ? nil : symbolName(symbol)
      let name = linked?.name ?? names.function(of: node, in: tree.unit)
      if let failure = name.runtimeFailure {
        lookup.runtimeFailure = lookup.runtimeFailure ?? failure
        continue
      }
      let functionStart = linked?.start ?? node.low
      lookup.calls.append(
        SymbolicatedCall(
          mangledName: name.mangled, name: name.readable,
          offset: node.isInlined ? nil : Int(clamping: Int64(bitPattern: start &- functionStart)),
          start: node.isInlined && node.isInParts ? nil : functionStart, location: source?.location,
          recordedLocation: recorded?.location, isInlined: node.isInlined,
          isRuntime: isRuntimeImage || name.isRuntime || source?.isRuntime == true))
    }
    return lookup
  }
}
