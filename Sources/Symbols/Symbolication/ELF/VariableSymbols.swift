import CLibdw

/// The variables of an ELF symbol table. Few are looked for: a look reads the whole table, once for all addresses.
struct VariableSymbols {
  private let table: (header: Elf64_Shdr, bytes: Bytes, linked: Bytes)
  /// How much higher the image's addresses are than those in the table.
  private let distance: UInt64

  /// Takes `.symtab` of the file or of its debug file, else `.dynsym`.
  init?(_ file: ELFFile, _ debugFile: ELFFile?) {
    let own = file.table(".symtab")
    let separate = own == nil ? debugFile?.table(".symtab") : nil
    guard let table = own ?? separate ?? file.table(".dynsym"), table.header.sh_entsize == 24 else { return nil }
    self.table = table
    distance = separate == nil ? 0 : debugFile.map(file.distance) ?? 0
  }

  private struct Symbol {
    var name: UInt32
    var start: UInt64
    var size: UInt64
    /// The first of the addresses that lies in it.
    var first: Int
  }

  /// The smallest variable that holds at each address: its name as the linker has it, and where it begins.
  func variables(at addresses: Set<UInt64>) -> [UInt64: (name: String, start: UInt64)] {
    let wanted = addresses.map { $0 &- distance }.sorted()
    let symbols = symbols(of: wanted)
    var found: [UInt64: (name: String, start: UInt64)] = [:]
    // The smallest come first, and of equal ones the first in the table: each takes the addresses that are left in it.
    var left = Unclaimed(count: wanted.count)
    for index in symbols.indices.sorted(by: { (symbols[$0].size, $0) < (symbols[$1].size, $1) }) {
      let symbol = symbols[index]
      while let place = left.next(from: symbol.first), wanted[place] - symbol.start < symbol.size {
        left.claim(place)
        found[wanted[place] &+ distance] = table.linked.string(at: UInt64(symbol.name)).map {
          ($0, symbol.start &+ distance)
        }
      }
    }
    return found
  }

  /// The variables in which at least one of the addresses lies.
  private func symbols(of wanted: [UInt64]) -> [Symbol] {
    var symbols: [Symbol] = []
    for index in 0..<min(table.bytes.count / 24, Limits.symbols) {
      var cursor = ByteCursor(Bytes(start: table.bytes.start + index * 24, count: 24))
      let name = cursor.u32()
      let type = Int32(cursor.u8() & 0xf)
      _ = cursor.u8()
      let section = cursor.u16()
      let start = cursor.u64()
      let size = cursor.u64()
      guard type == STT_OBJECT, name != 0, section != UInt16(SHN_UNDEF) else { continue }
      let first = wanted.firstIndex(notBelow: start)
      guard first < wanted.count, wanted[first] - start < size else { continue }
      symbols.append(Symbol(name: name, start: start, size: size, first: first))
    }
    return symbols
  }
}

/// The places that no symbol has claimed yet.
private struct Unclaimed {
  /// For each place, one from which on the next is looked for.
  private var links: [Int]

  init(count: Int) { links = Array(0...count) }

  /// The first place at or after `start`; nil if there is none.
  mutating func next(from start: Int) -> Int? {
    var place = start
    while links[place] != place {
      links[place] = links[links[place]]
      place = links[place]
    }
    return place < links.count - 1 ? place : nil
  }

  mutating func claim(_ place: Int) { links[place] = place + 1 }
}

extension [UInt64] {
  /// In an array in order: the index of the first element that is not below `value`; the count if there is none.
  fileprivate func firstIndex(notBelow value: UInt64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
