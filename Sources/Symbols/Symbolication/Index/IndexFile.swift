import Glibc
import Synchronization

/// An index, mapped for reading. Nothing of it is believed before its checksum was compared. Thread-safe.
final class IndexFile: Sendable {
  let flags: UInt32
  let base: UInt64
  private let mapping: Mapping
  private let data: UncheckedBytes
  private let checksums: UncheckedBytes
  private let sections: [(offset: UInt64, size: UInt64)]
  private let state: Mutex<State>
  private let damage = Atomic(false)

  private struct State {
    /// Which blocks were compared with their checksums.
    var verified: [Bool]
  }

  /// The mapped memory, unmapped when it is let go of.
  private final class Mapping: Sendable {
    nonisolated(unsafe) let start: UnsafeMutableRawPointer
    let size: Int

    init?(_ descriptor: Int32, size: Int) {
      guard size > 0, let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
        return nil
      }
      self.start = start
      self.size = size
    }

    deinit { munmap(start, size) }
  }

  private struct UncheckedBytes: @unchecked Sendable {
    var bytes: Bytes
  }

  /// Nil if it is no whole index of this format with this key.
  init?(descriptor: Int32, size: Int, key: IndexKey) {
    guard let mapping = Mapping(descriptor, size: size) else { return nil }
    self.mapping = mapping
    let whole = Bytes(start: mapping.start, count: size)
    guard let header = Self.header(whole) else { return nil }
    var cursor = ByteCursor(whole, at: UInt64(IndexFormat.headerSize))
    guard header.keySize == key.bytes.count, key.bytes.allSatisfy({ cursor.u8() == $0 }) else { return nil }
    let dataSize = UInt64(size) - header.dataStart
    let blocks = (Int(dataSize) + IndexFormat.blockSize - 1) / IndexFormat.blockSize
    let checksumStart = UInt64(IndexFormat.headerSize) + UInt64(header.keySize)
    guard checksumStart + 8 * UInt64(blocks) <= header.dataStart else { return nil }
    data = UncheckedBytes(bytes: whole.suffix(from: header.dataStart))
    checksums = UncheckedBytes(bytes: whole.suffix(from: checksumStart).prefix(8 * UInt64(blocks)))
    sections = header.sections
    flags = header.flags
    base = header.base
    state = Mutex(State(verified: Array(repeating: false, count: blocks)))
  }

  /// Reads the header and compares the checksum of all that stands before the data.
  private static func header(_ whole: Bytes) -> IndexFormat.Header? {
    var cursor = ByteCursor(whole)
    guard cursor.u64() == IndexFormat.magic, cursor.u32() == IndexFormat.version, cursor.u32() == 0 else { return nil }
    let checksum = cursor.u64()
    var header = IndexFormat.Header()
    header.fileSize = cursor.u64()
    header.dataStart = cursor.u64()
    header.base = cursor.u64()
    header.keySize = cursor.u32()
    header.flags = cursor.u32()
    for index in header.sections.indices { header.sections[index] = (cursor.u64(), cursor.u64()) }
    guard !cursor.hasFailed, header.fileSize == UInt64(whole.count), header.dataStart <= header.fileSize,
      header.dataStart >= UInt64(IndexFormat.headerSize) + UInt64(header.keySize),
      Checksum.of(whole.prefix(header.dataStart).suffix(from: 24)) == checksum
    else { return nil }
    let dataSize = header.fileSize - header.dataStart
    guard header.sections.allSatisfy({ $0.offset <= dataSize && $0.size <= dataSize - $0.offset }) else { return nil }
    return header
  }

  /// Whether a block was found that is not as it was written. Then none of the rest is used.
  var isDamaged: Bool { damage.load(ordering: .relaxed) }

  /// Notes that something does not add up.
  func markDamaged() { damage.store(true, ordering: .relaxed) }

  /// How many bytes a section has.
  func size(of section: IndexFormat.Section) -> UInt64 { sections[section.rawValue].size }

  /// Bytes of a section, compared with their checksums; nil if they lie outside or are damaged.
  func bytes(of section: IndexFormat.Section, at offset: UInt64 = 0, count: UInt64? = nil) -> Bytes? {
    let place = sections[section.rawValue]
    guard offset <= place.size else { return nil }
    let count = count ?? place.size - offset
    guard count <= place.size - offset else { return nil }
    let start = place.offset + offset
    guard count == 0 || isVerified(Int(start), Int(start + count)) else { return nil }
    return data.bytes.suffix(from: start).prefix(count)
  }

  private func isVerified(_ start: Int, _ end: Int) -> Bool {
    guard !isDamaged else { return false }
    return state.withLock { state in
      for block in start / IndexFormat.blockSize...(end - 1) / IndexFormat.blockSize where !state.verified[block] {
        let bytes = data.bytes.suffix(from: UInt64(block * IndexFormat.blockSize)).prefix(UInt64(IndexFormat.blockSize))
        var expected = ByteCursor(checksums.bytes, at: UInt64(8 * block))
        guard Checksum.of(bytes, seed: UInt64(block)) == expected.u64() else {
          markDamaged()
          return false
        }
        state.verified[block] = true
      }
      return true
    }
  }

  /// The string at an offset; nil if there is none, which is damage.
  func string(at offset: UInt32) -> String? {
    let rest = size(of: .strings) - min(UInt64(offset), size(of: .strings))
    guard let head = bytes(of: .strings, at: UInt64(offset), count: min(5, rest)) else { return damaged() }
    var cursor = ByteCursor(head)
    let length = cursor.uleb()
    guard !cursor.hasFailed,
      let text = bytes(of: .strings, at: UInt64(offset) + UInt64(cursor.offset), count: length)
    else { return damaged() }
    return String(decoding: UnsafeRawBufferPointer(start: text.start, count: text.count), as: UTF8.self)
  }

  /// A function's name, and that name made readable where it was; nil if there is none of that number, which is
  /// damage.
  func name(_ number: UInt32) -> (mangled: String, readable: String?)? {
    let size = IndexFormat.nameSize
    guard let entry = bytes(of: .names, at: UInt64(number) * UInt64(size), count: UInt64(size)) else {
      return damaged()
    }
    var cursor = ByteCursor(entry)
    let mangled = cursor.u32()
    let readable = cursor.u32()
    guard let name = string(at: mangled) else { return nil }
    guard readable != 0 else { return (name, nil) }
    return string(at: readable).map { (name, $0) }
  }

  private func damaged<Value>() -> Value? {
    markDamaged()
    return nil
  }
}
