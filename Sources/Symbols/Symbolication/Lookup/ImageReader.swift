/// Looks up addresses of one image. Not thread-safe, but several may read the same files.
final class ImageReader {
  let files: ImageFiles
  private let bias: UInt64
  /// How much higher the addresses of the image's file are than those of its debug file.
  private let distance: UInt64
  private let signed: SignedAddresses?
  private let isRuntimeImage: Bool
  private let names: FunctionNames
  private let index: ImageIndex?
  private lazy var dwarf = openDWARF()
  private lazy var symbols = files.file.map { SymbolTables($0, files.debugFile, files.symbolOrders) }
  private lazy var units = dwarf.map(UnitIndex.init)
  private var decoded = DecodedUnits()
  /// The numbers of the units that were decoded and could be in an index.
  private var unindexed: Set<Int> = []
  /// Whether the index, if there is one, was not enough.
  private var isDecoding = false

  init(_ files: ImageFiles) {
    self.files = files
    let base = files.image.baseAddress
    bias = files.file?.loadBias(baseAddress: base) ?? base
    distance = files.file.flatMap { file in files.debugFile.map(file.distance) } ?? 0
    signed = files.file.flatMap(SignedAddresses.init)
    isRuntimeImage = FrameClassifier.isRuntimeImage(files.image.name)
    names = FunctionNames(full: files.options.fullNames)
    index = files.index.flatMap(ImageIndex.init)
  }

  private func openDWARF() -> DWARFFile? {
    let alternate = files.alternateFile.flatMap { DWARFFile($0) }
    let dwarf = files.debugFile.flatMap { DWARFFile($0, alternate: alternate) }
    dwarf?.packagePaths = files.packagePaths
    return dwarf
  }

  /// A symbol by its name and where it begins.
  typealias NamedSymbol = (name: FunctionName, start: UInt64)

  /// An address of the process, as the image's file has them.
  func fileAddress(of address: UInt64) -> UInt64 { signed?.fileAddress(of: address, bias: bias) ?? address &- bias }

  /// The entry of the function that has the code at an address of the file; nil if the debug file has other addresses.
  func function(at address: UInt64, _ budget: EntryBudget) -> Entry? {
    guard distance == 0, let unit = units?.unit(at: address)?.unit else { return nil }
    decoded.use(unit)
    let tree = unit.functions
    guard let leaf = tree.leaves.value(at: address), let owner = tree.describer as? Unit else { return nil }
    return Entry(at: tree.nodes[Int(tree.nodes[leaf].root)].entry, in: owner, budget)
  }

  func lookUp(_ address: UInt64, _ kind: AddressKind) -> Lookup {
    let start = fileAddress(of: address) &- distance
    let target = kind == .returnAddress ? start &- 1 : start
    guard let index, !index.file.isDamaged else { return lookUpWithoutIndex(target, at: start) }
    let lookup: Lookup
    switch index.place(of: target) {
    case .unit(let unit): lookup = lookUp(target, in: unit, unit.symbol(at: target, in: names), at: start)
    case .outside: lookup = symbolOnly(symbol(at: target), at: start)
    case .unknown: return lookUpWithoutIndex(target, at: start)
    }
    return index.file.isDamaged ? lookUpWithoutIndex(target, at: start) : lookup
  }

  private func lookUpWithoutIndex(_ target: UInt64, at start: UInt64) -> Lookup {
    isDecoding = true
    let symbol = symbol(at: target)
    guard let (unit, number) = units?.unit(at: target) else { return symbolOnly(symbol, at: start) }
    if let number, files.indexKey != nil { unindexed.insert(number) }
    return lookUp(target, in: unit, symbol, at: start)
  }

  private func lookUp(_ target: UInt64, in unit: any DecodedUnit, _ symbol: NamedSymbol?, at start: UInt64) -> Lookup {
    decoded.use(unit)
    let finder = SourceFinder(unit)
    let position = unit.lines?.position(of: target)
    guard let interval = finder.tree.leaves.index(of: target) else {
      return symbolOnly(symbol, at: start, position.flatMap(finder.exactLocation))
    }
    return chain(finder, interval, position, symbol, at: start)
  }

  private func symbol(at target: UInt64) -> NamedSymbol? {
    guard let index, !index.file.isDamaged, let known = index.symbol(at: target) else {
      return symbols?.symbol(at: target).flatMap(named)
    }
    guard let (piece, number) = known else { return nil }
    if number != 0, let name = names.function(number, in: index.file) { return (name, piece.start) }
    return symbols?.found(piece).flatMap(named)
  }

  private func named(_ found: SymbolTables.Found) -> NamedSymbol? {
    names.function(of: found.symbol, in: found.table).map { ($0, found.symbol.address) }
  }

  /// What is known without a function's entry: its symbol, and a line if there are line tables.
  private func symbolOnly(_ symbol: NamedSymbol?, at start: UInt64, _ source: SourceFinder.Source? = nil) -> Lookup {
    if let (name, symbolStart) = symbol {
      let call = SymbolicatedCall(
        mangledName: name.mangled, name: name.readable, offset: Int(clamping: start &- symbolStart),
        start: symbolStart &+ distance, location: source?.location,
        isRuntime: isRuntime(name, source))
      return Lookup(calls: [call])
    }
    guard let source, source.location.line != 0 else { return Lookup() }
    let call = SymbolicatedCall(
      mangledName: nil, name: FunctionName.unnamed.readable, location: source.location,
      isRuntime: isRuntime(.unnamed, source))
    return Lookup(calls: [call])
  }

  private func isRuntime(_ name: FunctionName, _ source: SourceFinder.Source?) -> Bool {
    isRuntimeImage || (files.options.classifiesFunctions && (name.isRuntime || source?.file.isRuntime == true))
  }

  private func chain(
    _ finder: SourceFinder, _ interval: Int, _ position: LineTable.Position?, _ symbol: NamedSymbol?, at start: UInt64
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
      // The symbol's name is what the linker and other tools call it: that of a part or a copy, if it is one.
      let linked = node.isInlined ? nil : symbol
      let name = linked?.name ?? tree.describer.name(of: node, in: names)
      if let failure = name.runtimeFailure {
        lookup.runtimeFailure = lookup.runtimeFailure ?? failure
        continue
      }
      let functionStart = linked?.start ?? node.low
      lookup.calls.append(
        SymbolicatedCall(
          mangledName: name.mangled, name: name.readable,
          offset: node.isInlined ? nil : Int(clamping: Int64(bitPattern: start &- functionStart)),
          start: node.isInlined && node.isInParts ? nil : functionStart &+ distance, location: source?.location,
          recordedLocation: recorded?.location, isInlined: node.isInlined,
          isRuntime: isRuntime(name, source)))
    }
    return lookup
  }
}

// MARK: What an index is made of

extension ImageReader {
  /// The units that were decoded here and are not in the index, as far as they may be in one.
  func takeUnindexed() -> [Int] {
    defer { unindexed.removeAll() }
    guard !unindexed.isEmpty, let units else { return [] }
    return unindexed.sorted().filter { isSettled(units.units[$0]) }
  }

  /// Whether what a unit says cannot change without a file of the key changing: not where it may be in a `.dwo` file.
  private func isSettled(_ unit: Unit) -> Bool {
    unit.splitName.kind == .none || unit.split.map { files.packagePaths.contains($0.file.path) } ?? false
  }

  /// What all addresses of the image count from in an index; nil if they do not fit.
  var indexBase: UInt64? {
    let ranges = [files.file?.codeRange.moved(by: 0 &- distance), files.debugFile?.codeRange].compactMap { $0 }
    guard let low = ranges.map(\.lowerBound).min(), let high = ranges.map(\.upperBound).max(),
      high - low < UInt64(UInt32.max)
    else { return nil }
    return low
  }

  /// The index's flags, without those of what it holds so far.
  var indexFlags: UInt32 {
    guard case .found(_, let kind, _) = files.status else { return 0 }
    return kind.indexFlags
  }

  /// Whether an address that lies in no unit's ranges may still lie in a unit; nil if nothing was decoded that
  /// would tell.
  var hasUnrangedCode: Bool? { isDecoding ? units?.hasUnrangedCode : nil }

  var unitCount: Int { units?.units.count ?? 0 }

  /// The ranges of all units, in order.
  var unitRanges: [(low: UInt64, high: UInt64, unit: Int)] {
    units?.map.intervals.map { ($0.low, $0.high, -1 - Int($0.value)) } ?? []
  }

  /// Puts units into bytes and hands each on at once: together they would take more memory than the index.
  ///
  /// - Returns: Whether what was read is all that there is.
  func encode(_ numbers: [Int], base: UInt64, _ handOn: (_ unit: Int, _ encoder: UnitEncoder) -> Void) -> Bool {
    guard let units, let dwarf, let symbols else { return true }
    if numbers.count > Limits.plainSearches { symbols.order() }
    var ranges: [Int: [Range<UInt64>]] = [:]
    for interval in units.map.intervals {
      ranges[-1 - Int(interval.value), default: []].append(interval.low..<interval.high)
    }
    for number in numbers {
      let unit = units.units[number]
      decoded.use(unit)
      let pieces = symbols.pieces(in: ranges[number] ?? []).compactMap { piece in
        symbols.name(of: piece).map { (piece: piece, name: $0) }
      }
      let files = [dwarf, unit.split?.file].compactMap { $0 }
      handOn(number, UnitEncoder(unit, base: base, symbols: pieces))
      guard files.allSatisfy({ $0.functionBudget > 0 && $0.rangeBudget > 0 && $0.rowBudget > 0 }) else { return false }
    }
    return true
  }

  /// The names whose simplified forms are known.
  var simplifiedNames: [FunctionName] { names.simplified }

  /// Those among them that symbols have, each with its symbol; without those that come from the index.
  var simplifiedSymbols: [SymbolName: FunctionName] { symbols.map(names.simplified) ?? [:] }

  /// Whether the symbols are in order, and so many that an index of them saves time.
  var hasSymbolsForIndex: Bool { symbols.map { $0.areOrdered && $0.count >= Limits.indexedSymbols } ?? false }

  /// All symbols, if they are to be in an index.
  var indexedSymbols: [SymbolPiece]? {
    guard hasSymbolsForIndex, let symbols, let base = indexBase else { return nil }
    return symbols.pieces(in: [base..<base + UInt64(UInt32.max)])
  }
}
