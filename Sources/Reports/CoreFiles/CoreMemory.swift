import CLibdw
import CrashReportModel
import Glibc

/// The bytes of a process's memory: in a core file, or in a copy of a running process.
protocol MemoryBytes: AnyObject {
  /// The bytes at an offset, as many as are there.
  func read(_ offset: UInt64, _ count: Int) -> [UInt8]
}

/// The memory of a process, read piece by piece: a core may be larger than this machine's memory.
final class CoreMemory {
  struct Segment {
    var address: UInt64
    /// Exclusive.
    var end: UInt64
    var fileOffset: UInt64
    /// Bytes that were written; the rest was left out.
    var fileSize: UInt64
    var isExecutable: Bool
    var isWritable: Bool
  }

  /// The most segments that are looked at; a process may have 65,530 mappings by default.
  private static let mostSegments = 1 << 20
  private static let pageSize: UInt64 = 4096

  /// By address.
  let segments: [Segment]
  /// Where the notes are in the file.
  let notes: [Range<UInt64>]
  /// A header that names the machine.
  let machineHeader: Elf64_Ehdr
  /// In words, if the file is shorter than its headers say.
  let missingPart: String?
  private let bytes: any MemoryBytes
  private var cached: [UInt8] = []
  private var cachedPage = UInt64.max

  init(_ input: CoreInput) {
    bytes = input
    machineHeader = input.header
    var segments: [Segment] = []
    var notes: [Range<UInt64>] = []
    var expected: UInt64 = 0
    for header in Self.headers(of: input) {
      let (end, overflow) = header.p_offset.addingReportingOverflow(header.p_filesz)
      guard !overflow else { continue }
      if header.p_filesz > 0 { expected = max(expected, end) }
      if header.p_type == UInt32(PT_NOTE), header.p_offset < input.size {
        notes.append(header.p_offset..<min(end, input.size))
      }
      let (top, overflowed) = header.p_vaddr.addingReportingOverflow(header.p_memsz)
      guard header.p_type == UInt32(PT_LOAD), !overflowed, header.p_memsz > 0 else { continue }
      segments.append(
        Segment(
          address: header.p_vaddr, end: top, fileOffset: header.p_offset,
          fileSize: min(header.p_filesz, header.p_memsz), isExecutable: header.p_flags & UInt32(PF_X) != 0,
          isWritable: header.p_flags & UInt32(PF_W) != 0))
    }
    self.segments = segments.sorted { $0.address < $1.address }
    self.notes = notes
    missingPart = expected > input.size ? "it ends after \(input.size) of \(counted(expected, "byte"))" : nil
  }

  /// The memory of a running process, as far as it was copied.
  init(_ copy: ProcessCopy, _ machine: CoreMachine) {
    bytes = copy.memory
    machineHeader = machine.header
    segments = copy.mappings.sorted { $0.start < $1.start }.flatMap { Self.segments(of: $0, copy.memory) }
    notes = []
    missingPart = nil
  }

  /// A mapping's pieces: those that were copied, and those between.
  private static func segments(of mapping: ProcessCopy.Mapping, _ copy: MemoryCopy) -> [Segment] {
    var segments: [Segment] = []
    var place = mapping.start
    func add(_ end: UInt64, _ offset: UInt64, _ size: UInt64) {
      guard place < end else { return }
      segments.append(
        Segment(
          address: place, end: end, fileOffset: offset, fileSize: size, isExecutable: mapping.isExecutable,
          isWritable: mapping.isWritable))
      place = end
    }
    for piece in copy.pieces(in: mapping.start..<mapping.end) {
      add(piece.address, 0, 0)
      // Pieces may overlap: what an earlier one has is not taken twice.
      let had = min(place - piece.address, piece.size)
      add(piece.address + piece.size, piece.offset + had, piece.size - had)
    }
    add(mapping.end, 0, 0)
    return segments
  }

  private static func headers(of input: CoreInput) -> [Elf64_Phdr] {
    let header = input.header
    guard header.e_phentsize == UInt16(MemoryLayout<Elf64_Phdr>.size) else { return [] }
    var count = Int(header.e_phnum)
    // More than fit into the field: the first section header has the number.
    if header.e_phnum == UInt16(PN_XNUM), let first: Elf64_Shdr = input.load(at: header.e_shoff) {
      count = Int(first.sh_info)
    }
    let bytes = input.read(header.e_phoff, min(count, mostSegments) * MemoryLayout<Elf64_Phdr>.size)
    return bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / MemoryLayout<Elf64_Phdr>.size).map {
        bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Elf64_Phdr>.size, as: Elf64_Phdr.self)
      }
    }
  }

  /// The mapping that holds an address.
  func segment(holding address: UInt64) -> Segment? {
    var low = 0
    var high = segments.count
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, address < segments[low - 1].end else { return nil }
    return segments[low - 1]
  }

  /// The bytes at an address, as many as are there and no more than `count`, from as many segments as lie in a row.
  func read(_ address: UInt64, _ count: Int) -> [UInt8] {
    var found = readWithinSegment(address, count)
    while !found.isEmpty, found.count < count {
      let (next, overflow) = address.addingReportingOverflow(UInt64(found.count))
      let more = overflow ? [] : readWithinSegment(next, count - found.count)
      guard !more.isEmpty else { break }
      found += more
    }
    return found
  }

  private func readWithinSegment(_ address: UInt64, _ count: Int) -> [UInt8] {
    guard let segment = segment(holding: address), address - segment.address < segment.fileSize else { return [] }
    let distance = address - segment.address
    let (offset, overflow) = segment.fileOffset.addingReportingOverflow(distance)
    guard !overflow else { return [] }
    return bytes.read(offset, Int(min(UInt64(max(count, 0)), segment.fileSize - distance)))
  }

  /// Eight bytes, as stacks are read; the last page stays at hand.
  func word(at address: UInt64) -> UInt64? {
    let page = address & ~(Self.pageSize - 1)
    let distance = Int(address - page)
    guard distance <= Int(Self.pageSize) - 8 else { return load(at: address) }
    if page != cachedPage {
      cached = read(page, Int(Self.pageSize))
      cachedPage = page
    }
    guard cached.count >= distance + 8 else { return load(at: address) }
    return cached.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: distance, as: UInt64.self)) }
  }

  func load<Value: BitwiseCopyable>(at address: UInt64) -> Value? {
    let bytes = read(address, MemoryLayout<Value>.size)
    guard bytes.count == MemoryLayout<Value>.size else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
  }

  /// The text up to its NUL; nil if that does not come soon.
  func string(at address: UInt64, limit: Int) -> String? {
    let bytes = read(address, limit)
    guard let end = bytes.firstIndex(of: 0) else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}

extension CoreInput: MemoryBytes {
  /// The bytes at an offset of the file, as many as are there.
  func read(_ offset: UInt64, _ count: Int) -> [UInt8] {
    guard offset < size, count > 0 else { return [] }
    let wanted = Int(min(UInt64(count), size - offset))
    return [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      while filled < wanted {
        let got = pread(descriptor, buffer.baseAddress! + filled, wanted - filled, off_t(offset) + off_t(filled))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
  }

  func load<Value: BitwiseCopyable>(at offset: UInt64) -> Value? {
    let bytes = read(offset, MemoryLayout<Value>.size)
    guard bytes.count == MemoryLayout<Value>.size else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
  }
}
