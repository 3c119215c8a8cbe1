import CLibdw

/// The functions of an ELF symbol table, by address.
final class SymbolTable {
  struct Symbol {
    var address: UInt64
    /// 0 where the table does not know.
    var size: UInt64
    /// Offset of the name among the strings.
    var name: UInt32
  }

  private let entries: Bytes
  private let entrySize: Int
  private let strings: Bytes
  private let codeRange: Range<UInt64>
  /// Keeps the bytes alive.
  private let file: ELFFile
  private lazy var ordered = readAll()
  private var plainSearches = 0

  /// Opens `.symtab` or `.dynsym`; nil where there is none.
  init?(_ section: String, of file: ELFFile) {
    guard let table = file.table(section), [16, 24].contains(table.header.sh_entsize), !table.bytes.isEmpty else {
      return nil
    }
    self.file = file
    entries = table.bytes
    entrySize = Int(table.header.sh_entsize)
    strings = table.linked
    codeRange = file.codeRange
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

  func name(of symbol: Symbol) -> String? { strings.string(at: UInt64(symbol.name)) }

  /// Whether functions of all these names are defined.
  func defines(_ names: Set<String>) -> Bool {
    var missing = names
    forEach { symbol in
      if let name = self.name(of: symbol) { missing.remove(name) }
    }
    return missing.isEmpty
  }

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
    ordered.withUnsafeBufferPointer { ordered in
      var low = 0
      var high = ordered.count
      while low < high {
        let middle = (low &+ high) >> 1
        if ordered[middle].address <= address { low = middle &+ 1 } else { high = middle }
      }
      return low > 0 ? ordered[low - 1] : nil
    }
  }

  private func readAll() -> [Symbol] {
    var symbols: [Symbol] = []
    forEach { symbols.append($0) }
    // The sort is stable: symbols alike stay in the order of the table.
    symbols.sort { $0.address != $1.address ? $0.address < $1.address : $0.size < $1.size }
    return symbols
  }

  @inline(__always) private func forEach(_ body: (Symbol) -> Void) {
    let count = min(entries.count / entrySize, Limits.symbols)
    for index in 0..<count {
      let entry = Bytes(start: entries.start + index * entrySize, count: entrySize)
      guard let symbol = entrySize == 24 ? Self.read64(entry) : Self.read32(entry), codeRange.contains(symbol.address)
      else { continue }
      body(symbol)
    }
  }

  @inline(__always) private static func read64(_ entry: Bytes) -> Symbol? {
    var cursor = ByteCursor(entry)
    let name = cursor.u32()
    guard isFunction(name: name, info: cursor.u8(), other: cursor.u8(), section: cursor.u16()) else { return nil }
    return Symbol(address: cursor.u64(), size: cursor.u64(), name: name)
  }

  private static func read32(_ entry: Bytes) -> Symbol? {
    var cursor = ByteCursor(entry)
    let name = cursor.u32()
    let address = UInt64(cursor.u32())
    let size = UInt64(cursor.u32())
    guard isFunction(name: name, info: cursor.u8(), other: cursor.u8(), section: cursor.u16()) else { return nil }
    return Symbol(address: address, size: size, name: name)
  }

  @inline(__always)
  private static func isFunction(name: UInt32, info: UInt8, other: UInt8, section: UInt16) -> Bool {
    let type = Int32(info & 0xf)
    return (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC) && section != UInt16(SHN_UNDEF)
      && section != UInt16(SHN_ABS) && name != 0
  }
}
