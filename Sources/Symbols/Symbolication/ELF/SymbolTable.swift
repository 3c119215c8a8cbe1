import CLibdw

/// The functions of an ELF symbol table, by address.
final class SymbolTable {
  struct Symbol {
    var address: UInt64
    /// 0 if the table does not know.
    var size: UInt64
    /// Offset of the name among the strings.
    var name: UInt32

    /// Exclusive, if the size is known.
    var end: UInt64 { size > .max - address ? .max : address + size }
  }

  private let entries: Bytes
  private let entrySize: Int
  private let strings: Bytes
  private let codeRange: Range<UInt64>
  private let codeSections: [Bool]
  /// What is added to the addresses in the table.
  private let distance: UInt64
  /// Keeps the bytes alive.
  private let file: ELFFile
  private let section: String
  private let orders: SymbolOrders
  private lazy var ordered = takeOrdered()
  /// Whether so many addresses were looked for that the table was put in order.
  private(set) var isOrdered = false
  private var plainSearches = 0

  /// How many entries there are, at most.
  var count: Int { entries.count / entrySize }

  /// Opens `.symtab` or `.dynsym`; nil if there is none.
  ///
  /// - Parameters:
  ///   - distance: How much higher all addresses are to be than those in the file.
  ///   - orders: Those of the image that the table is of.
  init?(
    _ section: String, of file: ELFFile, movedBy distance: UInt64 = 0, _ orders: SymbolOrders = SymbolOrders()
  ) {
    guard let table = file.table(section), [16, 24].contains(table.header.sh_entsize), !table.bytes.isEmpty else {
      return nil
    }
    self.file = file
    self.section = section
    self.orders = orders
    entries = table.bytes
    entrySize = Int(table.header.sh_entsize)
    strings = table.linked
    self.distance = distance
    codeRange = file.codeRange.moved(by: distance) ?? 0..<UInt64.max
    codeSections = file.codeSections()
  }

  /// The symbol that holds at an address. One without a size reaches to the next. Of several that begin at one
  /// address, the last of the largest size counts.
  func symbol(at address: UInt64) -> Symbol? {
    guard codeRange.contains(address) else { return nil }
    var found: Symbol?
    if plainSearches < Limits.plainSearches {
      plainSearches += 1
      found = lastSymbol(upTo: address)
    } else {
      found = orderedSymbol(upTo: address)
    }
    guard let found, found.size == 0 || address - found.address < found.size else { return nil }
    return found
  }

  /// A name's own bytes, which stay where they are for as long as the file is open.
  func text(of symbol: Symbol) -> UnsafeRawBufferPointer? { strings.cString(at: UInt64(symbol.name)) }

  func name(of symbol: Symbol) -> String? { strings.string(at: UInt64(symbol.name)) }

  /// Whether functions of all these names are defined.
  func defines(_ names: Set<String>) -> Bool {
    var missing = names
    forEach { symbol in
      if let name = self.name(of: symbol) { missing.remove(name) }
    }
    return missing.isEmpty
  }

  /// The symbols that hold somewhere in a range, each with where it does; in order, without those that `symbol(at:)`
  /// never gives.
  func pieces(in range: Range<UInt64>) -> [SymbolPiece] {
    let range = range.clamped(to: codeRange)
    let symbols = range.isEmpty ? [] : candidates(in: range)
    var pieces: [SymbolPiece] = []
    for (index, symbol) in symbols.enumerated() {
      var high = range.upperBound
      if index + 1 < symbols.count {
        high = min(high, symbols[index + 1].address)
        if symbols[index + 1].address == symbol.address { continue }
      }
      if symbol.size > 0 { high = min(high, symbol.end) }
      let low = max(range.lowerBound, symbol.address)
      guard low < high else { continue }
      pieces.append(SymbolPiece(low: low, high: high, start: symbol.address, name: symbol.name, table: 0))
    }
    return pieces
  }

  /// In order: the last symbol up to the range, and all that begin in it.
  private func candidates(in range: Range<UInt64>) -> [Symbol] {
    if isOrdered {
      let all = ordered
      let first = max(Self.count(of: all, upTo: range.lowerBound) - 1, 0)
      let end = max(Self.count(of: all, upTo: range.upperBound - 1), first)
      return Array(all[first..<end])
    }
    var symbols: [Symbol] = []
    forEach { if $0.address > range.lowerBound, $0.address < range.upperBound { symbols.append($0) } }
    Self.sort(&symbols)
    return (lastSymbol(upTo: range.lowerBound).map { [$0] } ?? []) + symbols
  }

  /// Puts the table in order, so that many ranges can be asked for.
  func order() { _ = ordered }

  private func lastSymbol(upTo address: UInt64) -> Symbol? {
    var last: Symbol?
    forEach { symbol in
      guard symbol.address <= address else { return }
      if let best = last, (symbol.address, symbol.size) < (best.address, best.size) { return }
      last = symbol
    }
    return last
  }

  private func orderedSymbol(upTo address: UInt64) -> Symbol? {
    let ordered = ordered
    let count = Self.count(of: ordered, upTo: address)
    return count > 0 ? ordered[count - 1] : nil
  }

  private static func count(of ordered: [Symbol], upTo address: UInt64) -> Int {
    ordered.withUnsafeBufferPointer { ordered in
      var low = 0
      var high = ordered.count
      while low < high {
        let middle = (low &+ high) >> 1
        if ordered[middle].address <= address { low = middle &+ 1 } else { high = middle }
      }
      return low
    }
  }

  private func takeOrdered() -> [Symbol] {
    isOrdered = true
    return orders.symbols(of: section, readAll)
  }

  private func readAll() -> [Symbol] {
    var symbols: [Symbol] = []
    forEach { symbols.append($0) }
    Self.sort(&symbols)
    return symbols
  }

  /// The sort is stable: symbols alike stay in the order of the table.
  private static func sort(_ symbols: inout [Symbol]) {
    symbols.sort { $0.address != $1.address ? $0.address < $1.address : $0.size < $1.size }
  }

  @inline(__always) private func forEach(_ body: (Symbol) -> Void) {
    let count = min(entries.count / entrySize, Limits.symbols)
    for index in 0..<count {
      let entry = Bytes(start: entries.start + index * entrySize, count: entrySize)
      guard let symbol = entrySize == 24 ? read64(entry) : read32(entry), codeRange.contains(symbol.address)
      else { continue }
      body(symbol)
    }
  }

  @inline(__always) private func read64(_ entry: Bytes) -> Symbol? {
    var cursor = ByteCursor(entry)
    let name = cursor.u32()
    guard isFunction(name: name, info: cursor.u8(), other: cursor.u8(), section: cursor.u16()) else { return nil }
    return Symbol(address: cursor.u64() &+ distance, size: cursor.u64(), name: name)
  }

  private func read32(_ entry: Bytes) -> Symbol? {
    var cursor = ByteCursor(entry)
    let name = cursor.u32()
    let address = UInt64(cursor.u32()) &+ distance
    let size = UInt64(cursor.u32())
    guard isFunction(name: name, info: cursor.u8(), other: cursor.u8(), section: cursor.u16()) else { return nil }
    return Symbol(address: address, size: size, name: name)
  }

  @inline(__always)
  private func isFunction(name: UInt32, info: UInt8, other: UInt8, section: UInt16) -> Bool {
    guard name != 0, isOfCode(section) else { return false }
    let type = Int32(info & 0xf)
    return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && !isMark(name))
  }

  /// Symbols of other sections have values that look like addresses: gcc's link-time optimization names places in
  /// `.debug_info`.
  @inline(__always) private func isOfCode(_ section: UInt16) -> Bool {
    // Its number did not fit, and stands elsewhere.
    if section == UInt16(SHN_XINDEX) { return true }
    return codeSections.indices.contains(Int(section)) && codeSections[Int(section)]
  }

  /// Whether a name marks where code or data begins, as assemblers for aarch64 do: `$x` and `$d`, also with a full stop
  /// and more behind it.
  private func isMark(_ name: UInt32) -> Bool {
    guard let text = strings.cString(at: UInt64(name)), text.count >= 2, text[0] == UInt8(ascii: "$"),
      text[1] == UInt8(ascii: "x") || text[1] == UInt8(ascii: "d")
    else { return false }
    return text.count == 2 || text[2] == UInt8(ascii: ".")
  }
}
