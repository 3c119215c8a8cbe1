/// Reads what `UnitEncoder` wrote. Every number is looked at before it is used: afterwards none leads outside.
struct UnitDecoder {
  private(set) var names: [UInt32] = []
  private(set) var paths: [UInt32] = []
  private(set) var hasLines = false
  /// `entry` is the node's own number, `origin` that of its name.
  private(set) var nodes: [FunctionTree.Node] = []
  private(set) var declarations: [(file: UInt32, line: UInt32)] = []
  private(set) var leaves: [IntervalMap.Interval] = []
  private(set) var sequences: [LineTable.Sequence] = []
  private(set) var rows: [LineTable.Row] = []
  private(set) var symbols: [SymbolPiece] = []
  private let base: UInt64
  private var cursor: ByteCursor

  init?(_ code: Bytes, base: UInt64) {
    self.base = base
    cursor = ByteCursor(code)
  }

  /// Whether all is as it should be.
  mutating func read() -> Bool {
    names = readNumbers()
    paths = readNumbers()
    hasLines = cursor.u8() != 0
    return readNodes() && readLeaves() && readSequences() && readRows() && readSymbols() && cursor.isAtEnd
      && !cursor.hasFailed
  }

  /// A count of things that take a byte at least.
  private mutating func count() -> Int {
    let count = cursor.uleb()
    guard count <= UInt64(cursor.remaining) else {
      cursor.skip(.max)
      return 0
    }
    return Int(count)
  }

  private mutating func number() -> UInt32 { UInt32(truncatingIfNeeded: cursor.uleb()) }

  /// A difference that may be negative.
  private mutating func difference() -> UInt64 {
    let value = cursor.uleb()
    return value >> 1 ^ (0 &- (value & 1))
  }

  private mutating func readNumbers() -> [UInt32] {
    let count = count()
    var numbers: [UInt32] = []
    numbers.reserveCapacity(count)
    for _ in 0..<count { numbers.append(number()) }
    return numbers
  }

  private mutating func readNodes() -> Bool {
    let count = count()
    nodes.reserveCapacity(count)
    declarations.reserveCapacity(count)
    var low = base
    for index in 0..<count {
      let outwards = Int(truncatingIfNeeded: cursor.uleb())
      let name = number()
      let bits = cursor.u8()
      guard outwards >= 0, outwards <= index, Int(name) < names.count else { return false }
      var node = FunctionTree.Node(
        entry: UInt64(index), origin: FormValue(kind: .constant, value: UInt64(name)),
        parent: outwards == 0 ? -1 : Int32(index - outwards),
        root: outwards == 0 ? Int32(index) : nodes[index - outwards].root)
      node.isInParts = bits & UnitEncoder.isInParts != 0
      node.low = .max
      if bits & UnitEncoder.hasCode != 0 {
        low &+= difference()
        node.low = low
      }
      if outwards > 0 { (node.callFile, node.callLine, node.callColumn) = (number(), number(), number()) }
      let declaration = bits & UnitEncoder.isDeclared != 0 ? (file: number(), line: number()) : (file: 0, line: 0)
      guard Int(node.callFile) <= paths.count, Int(declaration.file) <= paths.count else { return false }
      nodes.append(node)
      declarations.append(declaration)
    }
    return !cursor.hasFailed
  }

  private mutating func readLeaves() -> Bool {
    let count = count()
    leaves.reserveCapacity(count)
    var low = base
    var node: UInt64 = 0
    for _ in 0..<count {
      low &+= cursor.uleb()
      let high = low &+ cursor.uleb()
      node &+= difference()
      guard high > low, node < UInt64(nodes.count) else { return false }
      leaves.append(IntervalMap.Interval(low: low, high: high, value: Int32(node)))
      low = high
    }
    return !cursor.hasFailed
  }

  private mutating func readSequences() -> Bool {
    let count = count()
    sequences.reserveCapacity(count)
    var low = base
    var firstRow = 0
    for _ in 0..<count {
      low &+= cursor.uleb()
      let length = cursor.uleb()
      let rows = cursor.uleb()
      // A row takes two bytes at least.
      guard length > 0, length <= UInt64.max - low, rows > 0, rows <= UInt64(cursor.remaining) else { return false }
      sequences.append(LineTable.Sequence(low: low, high: low + length, rows: firstRow..<firstRow + Int(rows)))
      firstRow += Int(rows)
    }
    return firstRow <= cursor.remaining && !cursor.hasFailed
  }

  private mutating func readRows() -> Bool {
    rows.reserveCapacity(sequences.last?.rows.upperBound ?? 0)
    var row = LineTable.Row(distance: 0, line: 1, file: 0, column: 0)
    for sequence in sequences {
      row.distance = 0
      for _ in sequence.rows {
        row.distance &+= number()
        let change = cursor.uleb()
        let line = change >> 1
        row.line = UInt32(truncatingIfNeeded: UInt64(row.line) &+ (line >> 1 ^ (0 &- (line & 1))))
        if change & 1 != 0 { row.file = number() }
        row.column = number()
        guard Int(row.file) <= paths.count else { return false }
        rows.append(row)
      }
    }
    return !cursor.hasFailed
  }

  private mutating func readSymbols() -> Bool {
    let count = count()
    symbols.reserveCapacity(count)
    var low = base
    for _ in 0..<count {
      low &+= cursor.uleb()
      let high = low &+ cursor.uleb()
      let start = low &- cursor.uleb()
      let name = number()
      guard high > low, Int(name) < names.count else { return false }
      symbols.append(SymbolPiece(low: low, high: high, start: start, name: name, table: 0))
      low = high
    }
    return !cursor.hasFailed
  }
}
