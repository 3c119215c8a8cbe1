/// Looks units and symbols up in an index. Not thread-safe, but several may read the same file.
final class ImageIndex {
  let file: IndexFile
  private let ranges: Bytes
  private let symbols: Bytes?
  private var units: [Int: IndexedUnit] = [:]

  /// What an index says of an address.
  enum Place {
    /// It is in a unit that the index has.
    case unit(IndexedUnit)
    /// It is in no unit.
    case outside
    /// The index does not know; use the debug information.
    case unknown
  }

  /// Nil if the index is damaged.
  init?(_ file: IndexFile) {
    guard let ranges = file.bytes(of: .ranges) else { return nil }
    self.file = file
    self.ranges = ranges
    symbols = file.hasSymbols ? file.bytes(of: .symbols) : nil
  }

  func place(of address: UInt64) -> Place {
    guard file.flags & IndexFormat.Flag.hasDWARF != 0 else { return .outside }
    guard let number = unit(at: address) else {
      return file.flags & IndexFormat.Flag.hasUnrangedUnits != 0 ? .unknown : .outside
    }
    if let unit = units[number] { return .unit(unit) }
    guard let unit = IndexedUnit(number, in: file, onForget: { [weak self] in self?.units[$0] = nil }) else {
      return .unknown
    }
    units[number] = unit
    return .unit(unit)
  }

  private func unit(at address: UInt64) -> Int? {
    guard let entry = Self.entry(holding: address &- file.base, in: ranges, size: IndexFormat.rangeSize) else {
      return nil
    }
    var cursor = ByteCursor(entry)
    cursor.skip(8)
    return Int(cursor.u32())
  }

  /// The symbol that holds at an address and the number of its name or 0, if the index has all symbols; `nil` inside for
  /// none.
  func symbol(at address: UInt64) -> (piece: SymbolPiece, name: UInt32)?? {
    guard let symbols else { return nil }
    guard let entry = Self.entry(holding: address &- file.base, in: symbols, size: IndexFormat.symbolSize) else {
      return .some(nil)
    }
    var cursor = ByteCursor(entry)
    let piece = SymbolPiece(
      low: file.base &+ UInt64(cursor.u32()), high: file.base &+ UInt64(cursor.u32()),
      start: file.base &+ UInt64(cursor.u32()), name: cursor.u32(), table: cursor.u32())
    return (piece, cursor.u32())
  }

  /// The entry of a table whose first two numbers, of 4 bytes each, are around an address.
  private static func entry(holding address: UInt64, in table: Bytes, size: Int) -> Bytes? {
    func number(_ index: Int, _ field: Int) -> UInt64 {
      UInt64(UInt32(littleEndian: table.start.loadUnaligned(fromByteOffset: index * size + field, as: UInt32.self)))
    }
    var low = 0
    var high = table.count / size
    while low < high {
      let middle = (low &+ high) >> 1
      if number(middle, 0) <= address { low = middle &+ 1 } else { high = middle }
    }
    guard low > 0, address < number(low - 1, 4) else { return nil }
    return table.suffix(from: UInt64((low - 1) * size)).prefix(UInt64(size))
  }
}
