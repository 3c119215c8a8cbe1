import CLibdw

/// The variables of an ELF symbol table. Few are looked for: each look reads the whole table.
struct VariableSymbols {
  private let table: (header: Elf64_Shdr, bytes: Bytes, linked: Bytes)

  /// Takes `.symtab` of the file or of its debug file, else `.dynsym`.
  init?(_ file: ELFFile, _ debugFile: ELFFile?) {
    guard let table = file.table(".symtab") ?? debugFile?.table(".symtab") ?? file.table(".dynsym"),
      table.header.sh_entsize == 24
    else { return nil }
    self.table = table
  }

  /// The smallest variable that holds at an address: its name as the linker has it, and where it begins.
  func variable(at address: UInt64) -> (name: String, start: UInt64)? {
    var found: (name: UInt32, start: UInt64, size: UInt64)?
    for index in 0..<min(table.bytes.count / 24, Limits.symbols) {
      var cursor = ByteCursor(Bytes(start: table.bytes.start + index * 24, count: 24))
      let name = cursor.u32()
      let type = Int32(cursor.u8() & 0xf)
      _ = cursor.u8()
      let section = cursor.u16()
      let start = cursor.u64()
      let size = cursor.u64()
      guard type == STT_OBJECT, name != 0, section != UInt16(SHN_UNDEF), address >= start, address - start < size,
        size < found?.size ?? .max
      else { continue }
      found = (name, start, size)
    }
    return found.flatMap { found in
      table.linked.string(at: UInt64(found.name)).map { ($0, found.start) }
    }
  }
}
