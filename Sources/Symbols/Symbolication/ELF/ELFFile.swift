import CLibdw
import Glibc
import LinuxCalls
import Synchronization

/// An ELF file opened for reading: sections, segments, build ID. Thread-safe: after opening, libelf's handle is used under
/// a lock.
final class ELFFile: @unchecked Sendable {
  struct Segment {
    var fileOffset: UInt64
    var address: UInt64
    var memorySize: UInt64
    var isExecutable: Bool
  }

  /// A section that would be too large when decompressed.
  struct RefusedSection {
    var name: String
    /// As its header claims.
    var size: UInt64
  }

  let path: String
  let buildID: [UInt8]?
  /// Which state of the file this is; nil for one that is in memory alone.
  let identity: FileIdentity?
  let segments: [Segment]
  /// `EM_…`
  let machine: UInt16
  private let elf: OpaquePointer
  private let sectionsByName: [String: OpaquePointer]
  /// Sections of a name that another has already.
  private let repeatedSections: [String: [OpaquePointer]]
  /// The file itself, if it is only in memory.
  private let memory: OwnedBytes?
  private let decompression: Mutex<DecompressionState>

  private struct DecompressionState {
    /// How many bytes may still be made of compressed sections.
    var left: UInt64
    /// The sections that libelf does not decompress.
    var zstdSections: [OpaquePointer: OwnedBytes] = [:]
    /// The first section that claims to be more than that.
    var refused: RefusedSection?
    /// Read once for all.
    var miniDebugInfo: ELFFile??

    mutating func mayMake(_ claimed: UInt64, of size: UInt64, _ name: String) -> Bool {
      guard claimed / Limits.compressionRatio <= size, claimed <= left else {
        refused = refused ?? RefusedSection(name: name, size: claimed)
        return false
      }
      left -= claimed
      return true
    }
  }

  private static let isLibraryReady = elf_version(UInt32(EV_CURRENT)) != UInt32(EV_NONE)

  /// Opens a regular file that holds a little-endian ELF executable, shared object or debug file; nil for all else.
  convenience init?(path: String) {
    guard Self.isLibraryReady, let descriptor = RegularFile.open(path) else { return nil }
    defer { close(descriptor) }
    // Private and writable: libelf notes in the mapped headers which sections it has decompressed.
    guard let elf = elf_begin(descriptor, ELF_C_READ_MMAP_PRIVATE, nil) else { return nil }
    self.init(elf, path: path, identity: FileIdentity(descriptor: descriptor), memory: nil)
  }

  /// Opens a file that is in memory, as what another file has inside it.
  convenience init?(_ contents: OwnedBytes, path: String) {
    let start = UnsafeMutableRawPointer(mutating: contents.bytes.start).assumingMemoryBound(to: CChar.self)
    guard Self.isLibraryReady, let elf = elf_memory(start, contents.bytes.count) else { return nil }
    self.init(elf, path: path, identity: nil, memory: contents)
  }

  private init?(_ elf: OpaquePointer, path: String, identity: FileIdentity?, memory: OwnedBytes?) {
    var header = GElf_Ehdr()
    // elf_rawfile: the file is in memory as a whole, the descriptor is not needed afterwards.
    var size = 0
    guard elf_kind(elf) == ELF_K_ELF, elf_rawfile(elf, &size) != nil,
      gelf_getehdr(elf, &header) != nil, header.e_ident.5 == UInt8(ELFDATA2LSB),
      header.e_type == UInt16(ET_EXEC) || header.e_type == UInt16(ET_DYN) || header.e_type == UInt16(ET_REL)
    else {
      elf_end(elf)
      return nil
    }
    self.path = path
    self.identity = identity
    self.elf = elf
    self.memory = memory
    decompression = Mutex(DecompressionState(left: Limits.decompressedBytes(ofFile: UInt64(size))))
    machine = header.e_machine
    segments = Self.readSegments(of: elf)
    (sectionsByName, repeatedSections) = Self.readSectionNames(of: elf)
    buildID = Self.readBuildID(of: elf)
  }

  deinit { elf_end(elf) }

  private static func readSegments(of elf: OpaquePointer) -> [Segment] {
    var count = 0
    guard elf_getphdrnum(elf, &count) == 0 else { return [] }
    return (0..<min(count, Int(UInt16.max))).compactMap { index in
      var header = GElf_Phdr()
      guard gelf_getphdr(elf, Int32(index), &header) != nil, header.p_type == UInt32(PT_LOAD) else { return nil }
      return Segment(
        fileOffset: header.p_offset, address: header.p_vaddr, memorySize: header.p_memsz,
        isExecutable: header.p_flags & UInt32(PF_X) != 0)
    }
  }

  private static func readSectionNames(
    of elf: OpaquePointer
  ) -> (first: [String: OpaquePointer], repeated: [String: [OpaquePointer]]) {
    var names = 0
    guard elf_getshdrstrndx(elf, &names) == 0 else { return ([:], [:]) }
    var sections: [String: OpaquePointer] = [:]
    var repeated: [String: [OpaquePointer]] = [:]
    forEachSection(of: elf) { section, header in
      guard let header, header.sh_type != UInt32(SHT_NOBITS), let text = elf_strptr(elf, names, Int(header.sh_name))
      else { return true }
      let name = String(cString: text)
      if sections[name] == nil { sections[name] = section } else { repeated[name, default: []].append(section) }
      return true
    }
    return (sections, repeated)
  }

  /// Goes through the sections by their numbers, as many as a symbol can name, until `body` gives false. It gets nil for
  /// a header that cannot be read.
  private static func forEachSection(of elf: OpaquePointer, _ body: (OpaquePointer, GElf_Shdr?) -> Bool) {
    var section = elf_nextscn(elf, nil)
    var count = 0
    while let current = section, count < Int(UInt16.max) {
      count += 1
      var header = GElf_Shdr()
      guard body(current, gelf_getshdr(current, &header) != nil ? header : nil) else { return }
      section = elf_nextscn(elf, current)
    }
  }

  private static func isLoadedCode(_ header: GElf_Shdr) -> Bool {
    let flags = UInt64(SHF_ALLOC | SHF_EXECINSTR)
    return header.sh_flags & flags == flags
  }

  /// Whether each section, by its number, is of code that is loaded.
  func codeSections() -> [Bool] {
    decompression.withLock { _ in
      var sections = [false]
      Self.forEachSection(of: elf) { _, header in
        sections.append(header.map(Self.isLoadedCode) ?? false)
        return sections.count < Int(UInt16.max)
      }
      return sections
    }
  }

  /// Where the sections of loaded code are, also in a file that has but their headers; the largest first.
  func codePlaces() -> [(name: String, address: UInt64)] {
    decompression.withLock { _ in
      var names = 0
      guard elf_getshdrstrndx(elf, &names) == 0 else { return [] }
      var places: [(name: String, address: UInt64, size: UInt64)] = []
      Self.forEachSection(of: elf) { _, header in
        if let header, Self.isLoadedCode(header), let name = elf_strptr(elf, names, Int(header.sh_name)) {
          places.append((String(cString: name), header.sh_addr, header.sh_size))
        }
        return true
      }
      return places.sorted { $0.size > $1.size }.map { ($0.name, $0.address) }
    }
  }

  /// The code from an address on, to the end of its section; nil if the file has none there.
  func code(at address: UInt64) -> Bytes? {
    decompression.withLock { state in
      var found: (section: OpaquePointer, header: GElf_Shdr)?
      Self.forEachSection(of: elf) { section, header in
        guard let header, header.sh_type == UInt32(SHT_PROGBITS), Self.isLoadedCode(header),
          header.sh_flags & UInt64(SHF_COMPRESSED) == 0, address >= header.sh_addr,
          address - header.sh_addr < header.sh_size
        else { return true }
        found = (section, header)
        return false
      }
      guard let found else { return nil }
      let code = contents(of: found.section, "code", &state).suffix(from: address - found.header.sh_addr)
      return code.isEmpty ? nil : code
    }
  }

  private static func readBuildID(of elf: OpaquePointer) -> [UInt8]? {
    var bytes: UnsafeRawPointer?
    let count = dwelf_elf_gnu_build_id(elf, &bytes)
    guard count > 0, count <= 64, let bytes else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// The whole file.
  var contents: Bytes {
    var size = 0
    let start = elf_rawfile(elf, &size)
    return Bytes(start.map { UnsafeRawPointer($0) }, count: size)
  }

  func hasSection(_ name: String) -> Bool { sectionsByName[name] != nil }

  /// A section's bytes, decompressed where needed; empty if there is no such section or it cannot be read.
  /// They live as long as this file.
  func section(_ name: String) -> Bytes {
    decompression.withLock { state in
      if let section = sectionsByName[name] { return contents(of: section, name, &state) }
      guard name.hasPrefix(".debug_"), let section = sectionsByName[".z" + name.dropFirst()] else { return .empty }
      return contents(ofOldCompressed: section, name, &state)
    }
  }

  /// The bytes of every section of a name: compilers put each unit that may be there twice into one of its own.
  func sections(_ name: String) -> [Bytes] {
    [section(name)]
      + decompression.withLock { state in (repeatedSections[name] ?? []).map { contents(of: $0, name, &state) } }
  }

  /// The file inside `.gnu_debugdata`, compressed with xz: a symbol table without what `.dynsym` has (MiniDebugInfo).
  var miniDebugInfo: ELFFile? {
    let name = ".gnu_debugdata"
    let section = section(name)
    return decompression.withLock { state in
      if let known = state.miniDebugInfo { return known }
      var file: ELFFile?
      if let size = Decompression.xzSize(section), state.mayMake(size, of: UInt64(section.count), name) {
        file = Decompression.xz(section, size: size).flatMap { ELFFile($0, path: path) }
      }
      state.miniDebugInfo = .some(file)
      return file
    }
  }

  /// What was asked for and not read, as it claims to be so much larger than the file.
  var refusedSection: RefusedSection? { decompression.withLock { $0.refused } }

  /// The section's header, its bytes, and those of the section that it links to (a symbol table's strings).
  func table(_ name: String) -> (header: GElf_Shdr, bytes: Bytes, linked: Bytes)? {
    decompression.withLock { state in
      var header = GElf_Shdr()
      guard let section = sectionsByName[name], gelf_getshdr(section, &header) != nil,
        let linked = elf_getscn(elf, Int(header.sh_link))
      else { return nil }
      return (header, contents(of: section, name, &state), contents(of: linked, name, &state))
    }
  }

  private func contents(of section: OpaquePointer, _ name: String, _ state: inout DecompressionState) -> Bytes {
    var header = GElf_Shdr()
    guard gelf_getshdr(section, &header) != nil else { return .empty }
    if header.sh_flags & UInt64(SHF_COMPRESSED) != 0 {
      if let known = state.zstdSections[section] { return known.bytes }
      var compression = GElf_Chdr()
      guard gelf_getchdr(section, &compression) != nil,
        state.mayMake(compression.ch_size, of: header.sh_size, name)
      else { return .empty }
      if compression.ch_type == Decompression.zstdType { return contents(ofZstd: section, compression, &state) }
      guard compression.ch_type == UInt32(ELFCOMPRESS_ZLIB), elf_compress(section, 0, 0) >= 0,
        let data = elf_getdata(section, nil)
      else { return .empty }
      return Bytes(data.pointee.d_buf, count: data.pointee.d_size)
    }
    guard let data = elf_rawdata(section, nil) else { return .empty }
    return Bytes(data.pointee.d_buf, count: data.pointee.d_size)
  }

  private func contents(
    ofZstd section: OpaquePointer, _ compression: GElf_Chdr, _ state: inout DecompressionState
  ) -> Bytes {
    guard let data = elf_rawdata(section, nil) else { return .empty }
    let headerSize = gelf_getclass(elf) == ELFCLASS64 ? MemoryLayout<Elf64_Chdr>.size : MemoryLayout<Elf32_Chdr>.size
    let compressed = Bytes(data.pointee.d_buf, count: data.pointee.d_size).suffix(from: UInt64(headerSize))
    guard let contents = Decompression.zstd(compressed, size: compression.ch_size) else { return .empty }
    state.zstdSections[section] = contents
    return contents.bytes
  }

  /// `.zdebug_…`: "ZLIB", the size as a big-endian number of 8 bytes, then the stream.
  private func contents(
    ofOldCompressed section: OpaquePointer, _ name: String, _ state: inout DecompressionState
  ) -> Bytes {
    guard let raw = elf_rawdata(section, nil) else { return .empty }
    let bytes = Bytes(raw.pointee.d_buf, count: raw.pointee.d_size)
    var cursor = ByteCursor(bytes)
    let isZlib = cursor.u32() == 0x4249_4c5a
    let size = cursor.u64().byteSwapped
    guard !cursor.hasFailed else { return .empty }
    if isZlib {
      guard state.mayMake(size, of: UInt64(bytes.count), name), elf_compress_gnu(section, 0, 0) >= 0 else {
        return .empty
      }
    }
    guard let data = elf_getdata(section, nil) else { return .empty }
    return Bytes(data.pointee.d_buf, count: data.pointee.d_size)
  }
}

/// Paths come from reports: nothing but a regular file is opened, as opening alone can block or act on a device.
enum RegularFile {
  /// Files of these are regular by name only (magic.h): reading /proc/kcore reads the kernel's memory.
  private static let kernelFileSystems = [0x9fa0, 0x6265_6572, 0x6462_6720, 0x7472_6163]

  /// A descriptor for reading, or nil.
  ///
  /// It opens the file that it checked, even if another file gets the name meanwhile.
  static func open(_ path: String) -> Int32? {
    guard !path.utf8.contains(0) else { return nil }
    let place = openPlace(AT_FDCWD, path, 0)
    guard place >= 0 else { return nil }
    defer { close(place) }
    guard isAllowed(place) else { return nil }
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let descriptor = LinuxCalls.open("/proc/self/fd/\(place)", flags)
    if descriptor >= 0 { return descriptor }
    // Without /proc the name is all there is.
    guard errno == ENOENT else { return nil }
    let named = LinuxCalls.open(path, flags)
    guard named >= 0 else { return nil }
    guard isAllowed(named) else {
      close(named)
      return nil
    }
    return named
  }

  private static func isAllowed(_ descriptor: Int32) -> Bool {
    var status = stat()
    var system = statfs()
    guard fstat(descriptor, &status) == 0, isRegular(status), fstatfs(descriptor, &system) == 0 else { return false }
    return !kernelFileSystems.contains(Int(system.f_type))
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return !path.utf8.contains(0) && stat(path, &status) == 0 && isRegular(status)
  }

  private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}
