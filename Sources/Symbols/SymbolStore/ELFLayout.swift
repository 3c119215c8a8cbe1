import Glibc

/// The headers of a 64-bit little-endian ELF file, and where its parts lie (elf(5)). All offsets are checked against
/// the file's size.
struct ELFLayout {
  struct Section {
    var name: String
    var header: Elf64_Shdr

    var isAllocated: Bool { header.sh_flags & UInt64(SHF_ALLOC) != 0 }
    var isCode: Bool { header.sh_flags & UInt64(SHF_EXECINSTR) != 0 && isAllocated }
    /// Whether it has bytes in the file.
    var hasContents: Bool {
      header.sh_type != UInt32(SHT_NOBITS) && header.sh_type != UInt32(SHT_NULL) && header.sh_size > 0
    }
    /// Where its bytes end, 0 if it has none: the offset of those is not to be relied on.
    var end: UInt64 { hasContents ? header.sh_offset + header.sh_size : 0 }
  }

  let bytes: UnsafeRawBufferPointer
  var header: Elf64_Ehdr
  let segments: [Elf64_Phdr]
  let sections: [Section]
  /// The end of what a process maps, and of the headers that it needs for it.
  let endOfImage: UInt64
  /// Numbers from here on stand for something else, and stripping adds two sections.
  private static let mostSections = UInt16(SHN_LORESERVE) - 2

  init(_ bytes: UnsafeRawBufferPointer, path: String) throws(FilingFailure) {
    let damaged = FilingFailure.unusable("a damaged ELF file", path)
    self.bytes = bytes
    guard bytes.count >= MemoryLayout<Elf64_Ehdr>.size, bytes[4] == UInt8(ELFCLASS64), bytes[5] == UInt8(ELFDATA2LSB)
    else { throw .unusable("not a 64-bit little-endian ELF file", path) }
    header = bytes.loadUnaligned(as: Elf64_Ehdr.self)
    guard (1..<Self.mostSections).contains(header.e_shnum), header.e_shentsize == MemoryLayout<Elf64_Shdr>.size,
      header.e_shstrndx < header.e_shnum
    else { throw .unusable("an ELF file that has no section headers, or too many", path) }
    guard let table: [Elf64_Shdr] = Self.table(bytes, at: header.e_shoff, count: Int(header.e_shnum)),
      header.e_phnum == 0 || header.e_phentsize == MemoryLayout<Elf64_Phdr>.size,
      let segments: [Elf64_Phdr] = Self.table(bytes, at: header.e_phoff, count: Int(header.e_phnum))
    else { throw damaged }
    self.segments = segments
    let names = table[Int(header.e_shstrndx)]
    var sections: [Section] = []
    for entry in table {
      let section = Section(name: Self.string(bytes, names, at: entry.sh_name), header: entry)
      guard !section.hasContents || Self.lies(entry.sh_offset, entry.sh_size, in: bytes.count) else { throw damaged }
      sections.append(section)
    }
    self.sections = sections
    endOfImage = Self.endOfImage(header, segments, sections)
    // A debug file's segments keep the offsets that they had in the program, beyond its end.
    if isLoadable, !segments.allSatisfy({ Self.lies($0.p_offset, $0.p_filesz, in: bytes.count) }) { throw damaged }
  }

  /// Whether it has the code that its symbols are of: a separate debug file has not.
  var isLoadable: Bool { sections.contains { $0.isCode && $0.hasContents } }

  private static func endOfImage(_ header: Elf64_Ehdr, _ segments: [Elf64_Phdr], _ sections: [Section]) -> UInt64 {
    var end = max(
      UInt64(MemoryLayout<Elf64_Ehdr>.size), header.e_phoff + UInt64(header.e_phnum) * UInt64(header.e_phentsize))
    for segment in segments { end = max(end, segment.p_offset &+ segment.p_filesz) }
    for section in sections where section.isAllocated { end = max(end, section.end) }
    return end
  }

  /// The end of everything that the headers account for.
  var endOfContents: UInt64 {
    sections.map(\.end).reduce(
      max(endOfImage, header.e_shoff + UInt64(header.e_shnum) * UInt64(header.e_shentsize)), max)
  }

  func contents(of section: Section) -> UnsafeRawBufferPointer {
    guard section.hasContents else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(
      rebasing: bytes[Int(section.header.sh_offset)..<Int(section.header.sh_offset + section.header.sh_size)])
  }

  private static func lies(_ offset: UInt64, _ size: UInt64, in count: Int) -> Bool {
    let (end, overflow) = offset.addingReportingOverflow(size)
    return !overflow && end <= UInt64(count)
  }

  private static func table<Entry: BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64, count: Int
  ) -> [Entry]? {
    let size = MemoryLayout<Entry>.size
    guard lies(offset, UInt64(count * size), in: bytes.count) else { return nil }
    return (0..<count).map { bytes.loadUnaligned(fromByteOffset: Int(offset) + $0 * size, as: Entry.self) }
  }

  private static func string(_ bytes: UnsafeRawBufferPointer, _ table: Elf64_Shdr, at index: UInt32) -> String {
    guard table.sh_type == UInt32(SHT_STRTAB), lies(table.sh_offset, table.sh_size, in: bytes.count),
      UInt64(index) < table.sh_size
    else { return "" }
    let rest = bytes[Int(table.sh_offset + UInt64(index))..<Int(table.sh_offset + table.sh_size)]
    return String(decoding: rest.prefix { $0 != 0 }, as: UTF8.self)
  }
}
