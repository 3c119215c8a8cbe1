/// The symbol tables of an image: `.symtab`, or what there is in its place. Addresses are as the debug file has them.
struct SymbolTables {
  struct Found {
    var table: SymbolTable
    var symbol: SymbolTable.Symbol
  }

  /// Whether functions that are not exported are among the symbols.
  let hasLocalFunctions: Bool
  private let tables: [SymbolTable]

  /// Takes the table of the file or of its debug file; without one, that of MiniDebugInfo beside `.dynsym`.
  init(_ file: ELFFile, _ debugFile: ELFFile?, _ orders: SymbolOrders = SymbolOrders()) {
    func table(_ section: String, of holder: ELFFile?) -> SymbolTable? {
      holder.flatMap { SymbolTable(section, of: $0, movedBy: (debugFile ?? file).distance(from: $0), orders) }
    }
    if let full = table(".symtab", of: file) ?? table(".symtab", of: debugFile) {
      tables = [full]
      hasLocalFunctions = true
      return
    }
    let mini = table(".symtab", of: file.miniDebugInfo)
    tables = [mini, table(".dynsym", of: file)].compactMap { $0 }
    hasLocalFunctions = mini != nil
  }

  /// Whether all tables are sorted. They are sorted when many addresses are looked up.
  var areOrdered: Bool { tables.allSatisfy(\.isOrdered) }

  /// The number of a table in pieces.
  func number(of table: ObjectIdentifier) -> UInt32? {
    tables.firstIndex { ObjectIdentifier($0) == table }.map(UInt32.init)
  }

  /// How many entries there are, at most.
  var count: Int { tables.reduce(0) { $0 + $1.count } }

  func order() { for table in tables { table.order() } }

  /// What `symbol(at:)` gives in some ranges that are in order and do not overlap.
  func pieces(in ranges: [Range<UInt64>]) -> [SymbolPiece] {
    guard let first = ranges.first, let last = ranges.last else { return [] }
    // Without an order each call goes through whole tables: then it is done once.
    if areOrdered { return ranges.flatMap { pieces(in: $0) } }
    let all = pieces(in: first.lowerBound..<last.upperBound)
    return ranges.flatMap { range in
      all.compactMap { piece in
        guard piece.low < range.upperBound, piece.high > range.lowerBound else { return nil }
        var piece = piece
        piece.low = max(piece.low, range.lowerBound)
        piece.high = min(piece.high, range.upperBound)
        return piece
      }
    }
  }

  private func pieces(in range: Range<UInt64>) -> [SymbolPiece] {
    let all = tables.enumerated().map { number, table in
      table.pieces(in: range).map { piece in
        var piece = piece
        piece.table = UInt32(number)
        return piece
      }
    }
    guard all.count > 1 else { return all.first ?? [] }
    var boundaries = all.joined().flatMap { [$0.low, $0.high] }
    boundaries.sort()
    return zip(boundaries, boundaries.dropFirst()).compactMap { low, high in
      guard low < high else { return nil }
      // As in `symbol(at:)`: that which begins last, and of the same the last table's.
      var found: SymbolPiece?
      for pieces in all {
        guard let piece = SymbolPiece.holding(low, in: pieces), piece.start >= found?.start ?? 0 else { continue }
        found = piece
      }
      found?.low = low
      found?.high = high
      return found
    }
  }

  /// The symbol of a piece.
  func found(_ piece: SymbolPiece) -> Found? {
    guard tables.indices.contains(Int(piece.table)) else { return nil }
    return Found(
      table: tables[Int(piece.table)], symbol: SymbolTable.Symbol(address: piece.start, size: 0, name: piece.name))
  }

  /// The name of a piece's symbol, in the file's own memory; nil if it has none.
  func name(of piece: SymbolPiece) -> UnsafeRawBufferPointer? {
    found(piece).flatMap { $0.table.text(of: $0.symbol) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  var isEmpty: Bool { tables.isEmpty }

  /// The symbol that holds at an address; where two tables have one, that which begins last.
  func symbol(at address: UInt64) -> Found? {
    var found: Found?
    for table in tables {
      guard let symbol = table.symbol(at: address), symbol.address >= found?.symbol.address ?? 0 else { continue }
      found = Found(table: table, symbol: symbol)
    }
    return found
  }
}
