/// Finds the source lines of a chain of calls, and the nearest line where the compiler gave none.
struct SourceFinder {
  struct Source {
    var location: SourceLocation
    var file: SourceFile
  }

  let tree: FunctionTree
  private let lines: LineTable?

  /// How many line rows to look at, each way, for the nearest line.
  private static let reach = 256

  init(_ unit: any DecodedUnit) {
    tree = unit.functions
    lines = unit.lines
  }

  /// What the line table says, line 0 included.
  func exactLocation(_ position: LineTable.Position) -> Source? {
    guard let lines else { return nil }
    let row = lines.rows[position.row]
    return source(file: row.file, line: row.line, column: row.column)
  }

  /// What the compiler wrote for one call of a chain: the innermost one's own line, or the one that calls `inner`.
  func recorded(calling inner: FunctionTree.Node?, position: LineTable.Position?) -> Source? {
    guard let inner else { return position.flatMap(exactLocation) }
    return source(file: inner.callFile, line: inner.callLine, column: inner.callColumn)
  }

  /// The compiler's line or, if that is 0, the nearest line of the same function.
  func location(_ recorded: Source, of node: Int, interval: Int, position: LineTable.Position?) -> Source {
    if recorded.location.line != 0 { return recorded }
    return nearest(to: position, interval: interval, node: node) ?? declaration(of: node) ?? recorded
  }

  private func source(file: UInt32, line: UInt32, column: UInt32, isApproximate: Bool = false) -> Source? {
    guard let file = lines?.file(file) else { return nil }
    return Source(
      location: SourceLocation(
        path: file.path, line: Int(line), column: Int(column), isApproximate: isApproximate),
      file: file)
  }

  /// The line on which the function is declared.
  private func declaration(of node: Int) -> Source? {
    let known = tree.declarations[node]
    let declaration = known ?? tree.describer.declaration(of: tree.nodes[node])
    if known == nil { tree.declarations[node] = declaration }
    return declaration.map {
      Source(
        location: SourceLocation(path: $0.path, line: Int($0.line), column: 0, isApproximate: true),
        file: SourceFile(path: $0.path))
    }
  }

  /// The nearest line, by address, of the same function or inlined call; inlined code in between is not its own.
  private func nearest(to position: LineTable.Position?, interval: Int, node: Int) -> Source? {
    guard let position, let lines else { return nil }
    let start = lines.address(ofRow: position.row, in: position.sequence)
    let before = search(from: position, step: -1, interval: interval, node: node, lines)
    let after = search(from: position, step: 1, interval: interval, node: node, lines)
    let row: LineTable.Row? =
      switch (before, after) {
      case (let before?, let after?):
        start - lines.address(ofRow: before, in: position.sequence)
          <= lines.address(ofRow: after, in: position.sequence) - start ? lines.rows[before] : lines.rows[after]
      case (let row?, nil), (nil, let row?): lines.rows[row]
      case (nil, nil): nil
      }
    return row.flatMap { source(file: $0.file, line: $0.line, column: $0.column, isApproximate: true) }
  }

  private func search(
    from position: LineTable.Position, step: Int, interval: Int, node: Int, _ lines: LineTable
  ) -> Int? {
    let sequence = lines.sequences[position.sequence]
    let leaves = tree.leaves.intervals
    let root = tree.nodes[node].root
    var row = position.row + step
    var interval = interval
    for _ in 0..<Self.reach {
      guard sequence.rows.contains(row) else { return nil }
      let address = sequence.low + UInt64(lines.rows[row].distance)
      if step < 0 {
        while interval > 0, leaves[interval].low > address { interval -= 1 }
      } else {
        while interval < leaves.count - 1, leaves[interval].high <= address { interval += 1 }
      }
      let leaf = leaves[interval]
      let isCovered = leaf.low <= address && address < leaf.high
      if isCovered, tree.nodes[Int(leaf.value)].root != root { return nil }
      if isCovered, Int(leaf.value) == node, lines.rows[row].line != 0, holds(row, in: sequence, lines) { return row }
      row += step
    }
    return nil
  }

  /// Whether a row says something of an address: another one for the same address would take its place.
  private func holds(_ row: Int, in sequence: LineTable.Sequence, _ lines: LineTable) -> Bool {
    row + 1 == sequence.rows.upperBound || lines.rows[row + 1].distance != lines.rows[row].distance
  }
}
