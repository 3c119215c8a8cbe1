/// A unit whose code is in an index. Its names are read when they are needed.
final class IndexedUnit: DecodedUnit, FunctionDescriber {
  private let index: IndexFile
  private let number: Int
  private let names: [UInt32]
  private let paths: [UInt32]
  private let symbols: [SymbolPiece]
  private let declarations: [(file: UInt32, line: UInt32)]
  private var nodes: [FunctionTree.Node]
  private var leaves: IntervalMap
  private(set) var lines: LineTable?
  private(set) lazy var functions = FunctionTree(nodes: nodes, leaves: leaves, describer: self)

  /// The unit that asks to have this one forgotten.
  private let onForget: (Int) -> Void

  /// Nil if the unit is not in the index or is damaged.
  init?(_ number: Int, in index: IndexFile, onForget: @escaping (Int) -> Void) {
    guard let entry = index.bytes(of: .units, at: UInt64(number * IndexFormat.unitSize), count: 16) else { return nil }
    var place = ByteCursor(entry)
    let offset = place.u64()
    let size = place.u64()
    guard size > 0, let code = index.bytes(of: .code, at: offset, count: size) else { return nil }
    guard var decoder = UnitDecoder(code, base: index.base), decoder.read() else {
      index.markDamaged()
      return nil
    }
    self.index = index
    self.number = number
    self.onForget = onForget
    names = decoder.names
    paths = decoder.paths
    symbols = decoder.symbols
    declarations = decoder.declarations
    nodes = decoder.nodes
    leaves = IntervalMap(disjoint: decoder.leaves)
    if decoder.hasLines {
      lines = LineTable(
        sequences: decoder.sequences, rows: decoder.rows, names: IndexedFileNames(index: index, paths: decoder.paths))
    }
  }

  func forget() { onForget(number) }

  func name(of node: FunctionTree.Node, in names: FunctionNames) -> FunctionName {
    name(UInt32(truncatingIfNeeded: node.origin.value), in: names) ?? .unnamed
  }

  func declaration(of node: FunctionTree.Node) -> Declaration? {
    let declaration = declarations[Int(node.entry)]
    guard declaration.line != 0, declaration.file > 0 else { return nil }
    return index.string(at: paths[Int(declaration.file) - 1]).map { Declaration(path: $0, line: declaration.line) }
  }

  /// The symbol that holds at an address of this unit.
  func symbol(at address: UInt64, in names: FunctionNames) -> (name: FunctionName, start: UInt64)? {
    guard let piece = SymbolPiece.holding(address, in: symbols), let name = name(piece.name, in: names) else {
      return nil
    }
    return (name, piece.start)
  }

  private func name(_ local: UInt32, in names: FunctionNames) -> FunctionName? {
    names.function(self.names[Int(local)], in: index)
  }
}

/// The files of an indexed unit, counted from 1.
private struct IndexedFileNames: SourceFileNames {
  let index: IndexFile
  let paths: [UInt32]

  var fileCount: Int { paths.count }

  func index(ofFile number: UInt32) -> Int? { number > 0 && Int(number) <= paths.count ? Int(number) - 1 : nil }

  func path(ofFile index: Int) -> String { self.index.string(at: paths[index]) ?? "" }
}

extension SymbolPiece {
  /// The piece that holds an address, among some in order.
  static func holding(_ address: UInt64, in pieces: [SymbolPiece]) -> SymbolPiece? {
    pieces.withUnsafeBufferPointer { pieces in
      var low = 0
      var high = pieces.count
      while low < high {
        let middle = (low &+ high) >> 1
        if pieces[middle].low <= address { low = middle &+ 1 } else { high = middle }
      }
      return low > 0 && address < pieces[low - 1].high ? pieces[low - 1] : nil
    }
  }
}
