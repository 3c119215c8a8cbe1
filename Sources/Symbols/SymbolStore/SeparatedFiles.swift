import Glibc

/// Takes a program or library apart, as `objcopy --only-keep-debug` and `strip` do: nothing that a process maps is moved.
extension ELFLayout {
  /// Notes that lie further back than this do not keep their offset in the debug file.
  private static let mostZeros: UInt64 = 1 << 20

  /// The debug file: every section with its number, and the contents of those that no process maps, and of notes.
  /// What is mapped has its place and size only.
  func debugFile() -> FilePieces {
    var header = header
    var entries = sections.map(\.header)
    // At the program's own places of the notes and the segment table: readers that use the segments find them here.
    let table = UInt64(header.e_phnum) * UInt64(header.e_phentsize)
    let atPlace = sections.indices.filter { index in
      let section = sections[index]
      return section.isAllocated && section.header.sh_type == UInt32(SHT_NOTE) && section.hasContents
        && section.header.sh_offset >= header.e_phoff + table && section.end <= Self.mostZeros
    }.sorted { sections[$0].header.sh_offset < sections[$1].header.sh_offset }
    let headerSize = UInt64(MemoryLayout<Elf64_Ehdr>.size)
    var body = FilePieces(startSize: headerSize)
    if table > 0 {
      // Linkers put the table right behind the header; one further back is moved there.
      header.e_phoff = headerSize
      for segment in segments { body.append(value: segment) }
    }
    var placed: Set<Int> = []
    for index in atPlace where sections[index].header.sh_offset >= body.end {
      body.seek(to: sections[index].header.sh_offset)
      body.append(contents(of: sections[index]))
      placed.insert(index)
    }
    for index in entries.indices where index > 0 && !placed.contains(index) {
      let section = sections[index]
      if section.isAllocated, section.header.sh_type != UInt32(SHT_NOTE) {
        entries[index].sh_type = UInt32(SHT_NOBITS)
        entries[index].sh_offset = body.end
        continue
      }
      body.align(to: section.header.sh_addralign)
      entries[index].sh_offset = body.end
      body.append(contents(of: section))
    }
    body.align(to: 8)
    header.e_shoff = body.end
    for entry in entries { body.append(value: entry) }
    body.fillStart(with: header)
    return body
  }

  /// The stripped file: what a process maps as it was, byte for byte but for the header, without symbols and debug
  /// information, and with the name and the checksum of the debug file.
  func strippedFile(debugLink name: String, checksum: UInt32) -> FilePieces {
    let removed = removedSections
    let lastMapped = sections.lastIndex { $0.isAllocated } ?? 0
    var numbers: [Int: Int] = [0: 0]
    var kept: [(section: Section, isEmpty: Bool)] = []
    for index in sections.indices {
      // Dynamic symbols name sections by number: those of mapped ones must stay.
      guard !removed.contains(index) || index < lastMapped else { continue }
      if !removed.contains(index) { numbers[index] = kept.count }
      kept.append((sections[index], removed.contains(index)))
    }
    let headerSize = UInt64(MemoryLayout<Elf64_Ehdr>.size)
    var file = FilePieces(startSize: headerSize)
    var names: [UInt8] = [0]
    var entries: [Elf64_Shdr] = []
    file.append(UnsafeRawBufferPointer(rebasing: bytes[Int(headerSize)..<Int(endOfImage)]))
    for (section, isEmpty) in kept {
      var entry = isEmpty ? Elf64_Shdr() : section.header
      if !section.name.isEmpty, !isEmpty {
        entry.sh_name = UInt32(names.count)
        names += Array(section.name.utf8) + [0]
      }
      entry.sh_link = UInt32(numbers[Int(entry.sh_link)] ?? 0)
      let linksByInfo = entry.sh_flags & UInt64(SHF_INFO_LINK) != 0
      if linksByInfo { entry.sh_info = UInt32(numbers[Int(entry.sh_info)] ?? 0) }
      if !isEmpty, section.hasContents, section.end > endOfImage {
        file.align(to: entry.sh_addralign)
        entry.sh_offset = file.end
        file.append(contents(of: section))
      } else if !isEmpty, !section.hasContents, section.header.sh_offset > endOfImage {
        entry.sh_offset = file.end
      }
      entries.append(entry)
    }
    appendSection(".gnu_debuglink", Self.debugLink(name, checksum), type: SHT_PROGBITS, &file, &entries, &names)
    appendSection(".shstrtab", nil, type: SHT_STRTAB, &file, &entries, &names)
    file.align(to: 8)
    var header = header
    header.e_shoff = file.end
    header.e_shnum = UInt16(entries.count)
    header.e_shstrndx = UInt16(entries.count - 1)
    for entry in entries { file.append(value: entry) }
    file.fillStart(with: header)
    return file
  }

  /// Symbols, debug information, what refers to them, and the table of names, which is made anew.
  private var removedSections: Set<Int> {
    let symbolTables = sections.indices.filter { index in
      !sections[index].isAllocated
        && Self.symbolTypes.contains(sections[index].header.sh_type)
    }
    var removed = Set(symbolTables)
    removed.formUnion(
      symbolTables.filter { sections[$0].header.sh_type == UInt32(SHT_SYMTAB) }.map {
        Int(sections[$0].header.sh_link)
      })
    for index in sections.indices where !sections[index].isAllocated {
      let name = sections[index].name
      let isDebugInfo = Self.debugPrefixes.contains { name.hasPrefix($0) } || Self.debugNames.contains(name)
      if isDebugInfo { removed.insert(index) }
    }
    removed.insert(Int(header.e_shstrndx))
    return removed.filter { $0 > 0 && $0 < sections.count && !sections[$0].isAllocated }
  }

  private static let symbolTypes = Set(
    [SHT_SYMTAB, SHT_SYMTAB_SHNDX, SHT_REL, SHT_RELA, SHT_GROUP].map { UInt32($0) })
  private static let debugPrefixes = [".debug_", ".zdebug_", ".stab"]
  private static let debugNames: Set<String> = [
    ".gdb_index", ".gnu_debuglink", ".gnu_debugaltlink", ".swift_ast", ".debug_gdb_scripts",
  ]

  /// The name, a zero, zeros up to a multiple of four, and the CRC.
  private static func debugLink(_ name: String, _ checksum: UInt32) -> [UInt8] {
    var bytes = Array(name.utf8) + [0]
    while bytes.count % 4 != 0 { bytes.append(0) }
    return bytes + withUnsafeBytes(of: checksum.littleEndian) { Array($0) }
  }

  /// Appends a section; without contents, that of the names, its own included.
  private func appendSection(
    _ name: String, _ contents: [UInt8]?, type: Int32, _ file: inout FilePieces, _ entries: inout [Elf64_Shdr],
    _ names: inout [UInt8]
  ) {
    var entry = Elf64_Shdr()
    entry.sh_name = UInt32(names.count)
    names += Array(name.utf8) + [0]
    let contents = contents ?? names
    entry.sh_type = UInt32(type)
    entry.sh_addralign = type == SHT_STRTAB ? 1 : 4
    file.align(to: entry.sh_addralign)
    entry.sh_offset = file.end
    entry.sh_size = UInt64(contents.count)
    file.append(contents)
    entries.append(entry)
  }
}
