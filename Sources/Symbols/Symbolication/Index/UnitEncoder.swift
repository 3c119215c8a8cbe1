/// Puts a unit's code into bytes: its functions and inlined calls, its line table, and the symbols that lie in it.
///
/// Numbers are in LEB128; those in order are written as their differences, signed ones with the sign as the lowest bit.
struct UnitEncoder {
  static let isInParts: UInt8 = 1
  static let hasCode: UInt8 = 2
  static let isDeclared: UInt8 = 4

  /// What the unit's names and files are called; the bytes have but their numbers.
  private(set) var names: [FunctionName] = []
  private(set) var paths: [String] = []
  private(set) var body: [UInt8] = []
  private var nameNumbers: [ObjectIdentifier: UInt32] = [:]
  private var pathNumbers: [String: UInt32] = [:]
  /// Numbers of the line table's files, which are not those here.
  private var fileNumbers: [UInt32: UInt32] = [:]
  private var descriptions: [FunctionNames.Key: (name: UInt32, declaration: Declaration?)] = [:]
  private let base: UInt64

  /// - Parameter symbols: The symbols in the unit's ranges, with their names.
  init(
    _ unit: Unit, base: UInt64, names functionNames: FunctionNames,
    symbols: [(piece: SymbolPiece, name: FunctionName)]
  ) {
    self.base = base
    let tree = unit.functions
    let lines = unit.lines
    body.append(lines == nil ? 0 : 1)
    append(tree, lines, functionNames)
    append(tree.leaves)
    append(lines)
    append(symbols)
  }

  private mutating func append(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      body.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    body.append(UInt8(rest))
  }

  private mutating func append(_ value: UInt32) { append(UInt64(value)) }

  private mutating func append(difference value: UInt64) { append(Self.zigzag(value)) }

  private static func zigzag(_ value: UInt64) -> UInt64 {
    value << 1 ^ UInt64(bitPattern: Int64(bitPattern: value) >> 63)
  }

  private mutating func number(of name: FunctionName) -> UInt32 {
    if let number = nameNumbers[ObjectIdentifier(name)] { return number }
    let number = UInt32(names.count)
    names.append(name)
    nameNumbers[ObjectIdentifier(name)] = number
    return number
  }

  private mutating func number(ofPath path: String) -> UInt32 {
    if let number = pathNumbers[path] { return number }
    paths.append(path)
    let number = UInt32(paths.count)
    pathNumbers[path] = number
    return number
  }

  private mutating func number(ofFile file: UInt32, in lines: LineTable?) -> UInt32 {
    if let number = fileNumbers[file] { return number }
    let number = lines?.file(file).map { self.number(ofPath: $0.path) } ?? 0
    fileNumbers[file] = number
    return number
  }

  private mutating func append(_ tree: FunctionTree, _ lines: LineTable?, _ functionNames: FunctionNames) {
    append(UInt64(tree.nodes.count))
    var low = base
    for (index, node) in tree.nodes.enumerated() {
      let (name, declaration) = description(of: node, in: tree.describer, functionNames)
      append(node.isInlined ? UInt64(index) - UInt64(node.parent) : 0)
      append(name)
      body.append(
        (node.isInParts ? Self.isInParts : 0) | (node.low != .max ? Self.hasCode : 0)
          | (declaration != nil ? Self.isDeclared : 0))
      if node.low != .max {
        append(difference: node.low &- low)
        low = node.low
      }
      if node.isInlined {
        append(number(ofFile: node.callFile, in: lines))
        append(node.callLine)
        append(node.callColumn)
      }
      if let declaration {
        append(number(ofPath: declaration.path))
        append(declaration.line)
      }
    }
  }

  /// All inlined copies of a function share one entry, which is read once.
  private mutating func description(
    of node: FunctionTree.Node, in describer: any FunctionDescriber, _ functionNames: FunctionNames
  ) -> (name: UInt32, declaration: Declaration?) {
    let place = (describer as? Unit)?.place(of: node)
    let key = place.map { FunctionNames.Key(file: ObjectIdentifier($0.unit), entry: $0.entry) }
    if let key, let known = descriptions[key] { return known }
    let found = (number(of: describer.name(of: node, in: functionNames)), describer.declaration(of: node))
    if let key { descriptions[key] = found }
    return found
  }

  private mutating func append(_ leaves: IntervalMap) {
    append(UInt64(leaves.intervals.count))
    var position = base
    var node: UInt64 = 0
    for leaf in leaves.intervals {
      append(leaf.low &- position)
      append(leaf.high - leaf.low)
      append(difference: UInt64(leaf.value) &- node)
      position = leaf.high
      node = UInt64(leaf.value)
    }
  }

  private mutating func append(_ lines: LineTable?) {
    let sequences = lines?.sequences ?? []
    append(UInt64(sequences.count))
    var low = base
    for sequence in sequences {
      append(sequence.low &- low)
      append(sequence.high - sequence.low)
      append(UInt64(sequence.rows.count))
      low = sequence.low
    }
    var last = LineTable.Row(distance: 0, line: 1, file: 0, column: 0)
    for sequence in sequences {
      last.distance = 0
      for number in sequence.rows {
        guard let lines else { return }
        var row = lines.rows[number]
        row.file = self.number(ofFile: row.file, in: lines)
        append(row.distance &- last.distance)
        append(Self.zigzag(UInt64(row.line) &- UInt64(last.line)) << 1 | (row.file != last.file ? 1 : 0))
        if row.file != last.file { append(row.file) }
        append(row.column)
        last = row
      }
    }
  }

  private mutating func append(_ symbols: [(piece: SymbolPiece, name: FunctionName)]) {
    append(UInt64(symbols.count))
    var position = base
    for (piece, name) in symbols {
      append(piece.low &- position)
      append(piece.high - piece.low)
      append(piece.low &- piece.start)
      append(number(of: name))
      position = piece.high
    }
  }
}
