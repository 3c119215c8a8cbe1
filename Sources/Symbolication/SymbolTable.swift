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

  /// Ordered by address, one symbol for each.
  private let symbols: [Symbol]
  private let strings: Bytes
  private let codeRange: Range<UInt64>
  /// Keeps the strings alive.
  private let file: ELFFile

  var isEmpty: Bool { symbols.isEmpty }

  /// Reads `.symtab` or `.dynsym`.
  init?(_ section: String, of file: ELFFile) {
    guard let table = file.table(section), table.header.sh_entsize >= 16 else { return nil }
    self.file = file
    strings = table.linked
    codeRange = file.codeRange
    let size = Int(clamping: table.header.sh_entsize)
    let count = min(table.bytes.count / size, Limits.symbols)
    var symbols: [Symbol] = []
    for index in 0..<count {
      let entry = Bytes(start: table.bytes.start + index * size, count: size)
      if let symbol = Self.read(entry, is64Bit: size >= 24), codeRange.contains(symbol.address) {
        symbols.append(symbol)
      }
    }
    symbols.sort { $0.address != $1.address ? $0.address < $1.address : $0.size < $1.size }
    self.symbols = Self.keepingLargest(symbols)
  }

  private static func read(_ entry: Bytes, is64Bit: Bool) -> Symbol? {
    var cursor = ByteCursor(entry)
    let name = cursor.u32()
    var address: UInt64 = 0
    var size: UInt64 = 0
    if !is64Bit {
      address = UInt64(cursor.u32())
      size = UInt64(cursor.u32())
    }
    let type = Int32(cursor.u8() & 0xf)
    _ = cursor.u8()
    let section = cursor.u16()
    if is64Bit {
      address = cursor.u64()
      size = cursor.u64()
    }
    guard type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC, section != UInt16(SHN_UNDEF),
      section != UInt16(SHN_ABS), name != 0
    else { return nil }
    return Symbol(address: address, size: size, name: name)
  }

  /// Of several symbols at one address, the last of the largest size stays.
  private static func keepingLargest(_ symbols: [Symbol]) -> [Symbol] {
    var kept: [Symbol] = []
    kept.reserveCapacity(symbols.count)
    for symbol in symbols {
      if kept.last?.address == symbol.address { kept.removeLast() }
      kept.append(symbol)
    }
    return kept
  }

  /// The symbol that holds at an address. One without a size reaches to the next.
  func index(at address: UInt64) -> Int? {
    var low = 0
    var high = symbols.count
    while low < high {
      let middle = (low + high) / 2
      if symbols[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, codeRange.contains(address) else { return nil }
    let symbol = symbols[low - 1]
    return symbol.size == 0 || address - symbol.address < symbol.size ? low - 1 : nil
  }

  func address(of index: Int) -> UInt64 { symbols[index].address }
  func name(of index: Int) -> String? { strings.string(at: UInt64(symbols[index].name)) }
}
