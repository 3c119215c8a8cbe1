/// Puts a unit's code into bytes: its functions and inlined calls, its line table, and the symbols that lie in it.
///
/// Numbers are in LEB128; those in order are written as their differences, signed ones with the sign as the lowest bit.
struct UnitEncoder {
  static let isInParts: UInt8 = 1
  static let hasCode: UInt8 = 2
  static let isDeclared: UInt8 = 4

  /// The unit's names, if the files have them, and paths; the bytes have but their numbers. A function without a name
  /// has nil.
  private(set) var names: [UnsafeRawBufferPointer?] = []
  private(set) var paths: [String] = []
  private(set) var body: [UInt8] = []
  private var pathNumbers: [String: UInt32] = [:]
  /// Numbers of the line table's files, which are not those here.
  private var fileNumbers: [UInt32: UInt32] = [:]
  private var descriptions: [FunctionNames.Key: Description] = [:]
  private let base: UInt64

  /// What an entry says of its function, in numbers.
  private struct Description {
    var name: UInt32
    /// 0 if it is not declared in any.
    var file: UInt32 = 0
    var line: UInt32 = 0
  }

  /// - Parameter symbols: The symbols in the unit's ranges, with their names.
  init(_ unit: Unit, base: UInt64, symbols: [(piece: SymbolPiece, name: UnsafeRawBufferPointer)]) {
    self.base = base
    let tree = unit.functions
    let lines = unit.lines
    body.append(lines == nil ? 0 : 1)
    append(tree, of: unit.split ?? unit, lines)
    append(tree.leaves)
    append(lines)
    append(symbols)
  }

  private mutating func append(_ value: UInt64) { body.appendLEB128(value) }

  private mutating func append(_ value: UInt32) { append(UInt64(value)) }

  private mutating func append(difference value: UInt64) { append(Self.zigzag(value)) }

  private static func zigzag(_ value: UInt64) -> UInt64 {
    value << 1 ^ UInt64(bitPattern: Int64(bitPattern: value) >> 63)
  }

  private mutating func add(_ name: UnsafeRawBufferPointer?) -> UInt32 {
    names.append(name)
    return UInt32(names.count - 1)
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

  private mutating func append(_ tree: FunctionTree, of unit: Unit, _ lines: LineTable?) {
    append(UInt64(tree.nodes.count))
    var low = base
    for (index, node) in tree.nodes.enumerated() {
      let function = description(of: node, in: unit, lines)
      append(node.isInlined ? UInt64(index) - UInt64(node.parent) : 0)
      append(function.name)
      body.append(
        (node.isInParts ? Self.isInParts : 0) | (node.low != .max ? Self.hasCode : 0)
          | (function.file != 0 ? Self.isDeclared : 0))
      if node.low != .max {
        append(difference: node.low &- low)
        low = node.low
      }
      if node.isInlined {
        append(number(ofFile: node.callFile, in: lines))
        append(node.callLine)
        append(node.callColumn)
      }
      if function.file != 0 {
        append(function.file)
        append(function.line)
      }
    }
  }

  /// All inlined copies of a function share one entry, which is read once.
  private mutating func description(of node: FunctionTree.Node, in unit: Unit, _ lines: LineTable?) -> Description {
    let (holder, entry) = unit.place(of: node)
    let key = FunctionNames.Key(file: ObjectIdentifier(holder.file), entry: entry)
    if let known = descriptions[key] { return known }
    let function = FunctionEntry(at: entry, in: holder)
    var description = Description(name: add(function.linkageName ?? function.name))
    if function.declarationLine != 0, let table = function.declarationUnit?.lines {
      description.line = function.declarationLine
      description.file =
        table === lines
        ? number(ofFile: function.declarationFile, in: lines)
        : table.file(function.declarationFile).map { number(ofPath: $0.path) } ?? 0
    }
    descriptions[key] = description
    return description
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

  private mutating func append(_ symbols: [(piece: SymbolPiece, name: UnsafeRawBufferPointer)]) {
    append(UInt64(symbols.count))
    var position = base
    for (piece, name) in symbols {
      append(piece.low &- position)
      append(piece.high - piece.low)
      append(piece.low &- piece.start)
      append(add(name))
      position = piece.high
    }
  }
}
