import CLibdw
import CrashReportReading
import Symbolication

/// A binary that was mapped into the dead process.
struct CoreImage {
  var path: String
  /// Where its ELF header was mapped.
  var base: UInt64
  /// The end of its last mapping.
  var end: UInt64
  var endOfText: UInt64
  /// As an ELF header has it.
  var machine: UInt16
  var buildID: [UInt8]?
  /// Whether the build ID was in the core, and so is sure to be the one of what ran.
  var isIdentified = false
  /// Part of the kernel, of which the core holds all there is.
  var isKernelProvided = false

  var name: String { isKernelProvided ? path : path.split(separator: "/").last.map(String.init) ?? path }

  var reference: ImageReference {
    ImageReference(
      name: name, path: path, buildID: buildID, baseAddress: base, endOfText: endOfText, machine: machine)
  }
}

/// Finds the binaries of a core: what NT_FILE names and has code, and the vDSO.
struct CoreImages {
  private static let mostImages = 65_536

  private(set) var images: [CoreImage] = []
  /// The program itself in `images`.
  private(set) var executable: Int?
  private let memory: CoreMemory

  /// - Parameter executable: The file that the user says is the program.
  /// - Throws: `ReadingError` if that is not a program, or of another build than the one that ran.
  init(_ memory: CoreMemory, _ notes: CoreNotes, executable path: String?) throws(ReadingError) {
    self.memory = memory
    images = Self.mapped(notes.files, memory)
    addProgram(notes, path)
    for index in images.indices {
      images[index].buildID = buildID(of: images[index])
      images[index].isIdentified = images[index].buildID != nil
    }
    if let vdso = vdso(notes) { images.append(vdso) }
    if let path, let executable { try use(path, for: executable) }
    for index in images.indices where images[index].buildID == nil && !images[index].isKernelProvided {
      let file = try? BinaryFile(path: images[index].path)
      if file?.machine == images[index].machine { images[index].buildID = file?.buildID }
    }
  }

  /// Neighbouring mappings of one file, from the one of its start on.
  private static func mapped(_ files: [CoreNotes.MappedFile], _ memory: CoreMemory) -> [CoreImage] {
    var images: [CoreImage] = []
    var hasCode = false
    func finish() {
      if !images.isEmpty, !hasCode { images.removeLast() }
      hasCode = false
    }
    for file in files.sorted(by: { $0.start < $1.start }) where images.count <= mostImages {
      let path = file.path.hasSuffix(" (deleted)") ? String(file.path.dropLast(10)) : file.path
      if file.fileOffset == 0, images.last?.path != path || hasCode {
        finish()
        images.append(
          CoreImage(
            path: path, base: file.start, end: file.end, endOfText: file.end, machine: memory.machineHeader.e_machine))
      }
      guard images.last?.path == path else { continue }
      images[images.count - 1].end = file.end
      let segment = memory.segment(holding: file.start)
      if segment?.isExecutable == true {
        images[images.count - 1].endOfText = file.end
        hasCode = true
      } else if segment == nil, !hasCode, let end = codeEnd(of: images[images.count - 1], memory) {
        // The kernel names every mapping; gdb's gcore leaves those out whose contents the file has.
        images[images.count - 1].endOfText = end
        hasCode = true
      }
    }
    finish()
    return images
  }

  /// The end of a mapped file's code, by its headers in the core, else by the file; nil if it is not a binary.
  private static func codeEnd(of image: CoreImage, _ memory: CoreMemory) -> UInt64? {
    if let (segments, bias) = segments(at: image.base, memory) {
      return segments.filter { $0.p_type == UInt32(PT_LOAD) && $0.p_flags & UInt32(PF_X) != 0 }
        .map { bias &+ $0.p_vaddr &+ $0.p_memsz }.max()
    }
    return (try? BinaryFile(path: image.path)).map { _ in image.end }
  }

  /// The image with the program's entry; if no mappings were named, an image made from the auxiliary vector.
  private mutating func addProgram(_ notes: CoreNotes, _ path: String?) {
    guard let entry = notes.auxiliary[UInt64(AT_ENTRY)] else { return }
    executable = images.firstIndex { $0.base <= entry && entry < $0.end }
    guard executable == nil, let headers = notes.auxiliary[UInt64(AT_PHDR)] else { return }
    let told = notes.auxiliary[UInt64(AT_EXECFN)].flatMap { memory.string(at: $0, limit: 4096) }
    guard let name = path ?? told ?? notes.name, !name.isEmpty else { return }
    let end = memory.segment(holding: entry)?.end ?? max(entry, entry &+ 1)
    executable = images.count
    images.append(
      CoreImage(
        path: name, base: headers & ~0xfff, end: end, endOfText: end, machine: memory.machineHeader.e_machine))
  }

  private mutating func use(_ path: String, for index: Int) throws(ReadingError) {
    let file: BinaryFile
    do {
      file = try BinaryFile(path: path)
    } catch {
      throw ReadingError(error.kind == .noInput ? .noInput : .notAReport, "the executable \(path): \(error.what)")
    }
    guard file.machine == images[index].machine else {
      throw ReadingError(.notAReport, "the executable \(path) is not for the processor of the program that ran")
    }
    if let expected = images[index].buildID, file.buildID != expected {
      let found = file.buildID.map { "has build ID \(hex($0))" } ?? "has no build ID"
      throw ReadingError(.notAReport, "the executable \(path) \(found), but the program that ran had \(hex(expected))")
    }
    images[index].path = path
  }

  private func hex(_ bytes: [UInt8]) -> String { CoreImages.hex(bytes) }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
  }

  private func vdso(_ notes: CoreNotes) -> CoreImage? {
    guard let base = notes.auxiliary[UInt64(AT_SYSINFO_EHDR)], let segment = memory.segment(holding: base) else {
      return nil
    }
    return CoreImage(
      path: "[vdso]", base: base, end: segment.end, endOfText: segment.end, machine: memory.machineHeader.e_machine,
      isKernelProvided: true)
  }

  // MARK: Build IDs in memory

  /// The build ID by the notes that are mapped with the file's first page, where the core holds that.
  private func buildID(of image: CoreImage) -> [UInt8]? {
    guard let (segments, bias) = Self.segments(at: image.base, memory) else { return nil }
    for segment in segments where segment.p_type == UInt32(PT_NOTE) && segment.p_filesz <= 64 << 10 {
      let notes = memory.read(bias &+ segment.p_vaddr, Int(segment.p_filesz))
      if let found = Self.buildID(in: notes) { return found }
    }
    return nil
  }

  /// The segments that the headers at an address tell of, and what their addresses have to be moved by; nil if the core
  /// holds no such headers.
  private static func segments(at base: UInt64, _ memory: CoreMemory) -> (segments: [Elf64_Phdr], bias: UInt64)? {
    guard let header: Elf64_Ehdr = memory.load(at: base),
      header.e_ident.0 == 0x7f, header.e_ident.1 == 0x45, header.e_ident.2 == 0x4c, header.e_ident.3 == 0x46,
      header.e_ident.4 == UInt8(ELFCLASS64), header.e_phentsize == UInt16(MemoryLayout<Elf64_Phdr>.size)
    else { return nil }
    let segments = (0..<UInt64(min(header.e_phnum, 128))).compactMap { number -> Elf64_Phdr? in
      memory.load(at: base &+ header.e_phoff &+ number * UInt64(MemoryLayout<Elf64_Phdr>.size))
    }
    guard let first = segments.first(where: { $0.p_type == UInt32(PT_LOAD) }) else { return nil }
    return (segments, base &- (first.p_vaddr &- first.p_offset))
  }

  static func buildID(in notes: [UInt8]) -> [UInt8]? {
    notes.withUnsafeBytes { notes in
      var offset = 0
      while notes.count - offset >= 12 {
        let header = notes.loadUnaligned(fromByteOffset: offset, as: Elf64_Nhdr.self)
        let start = offset + 12 + (Int(header.n_namesz) + 3) & ~3
        let end = start + Int(header.n_descsz)
        guard end <= notes.count else { return nil }
        if header.n_type == UInt32(NT_GNU_BUILD_ID), header.n_namesz == 4,
          notes[(offset + 12)..<(offset + 16)].elementsEqual("GNU\0".utf8), (1...64).contains(header.n_descsz)
        {
          return Array(notes[start..<end])
        }
        offset = (end + 3) & ~3
      }
      return nil
    }
  }
}
