import CLibdw
import Glibc

extension SymbolFacts {
  /// Whether the dynamic loader starts it.
  package var isDynamic: Bool { file.hasSection(".interp") }

  /// Whether stacks can be unwound through it without frame pointers.
  package var hasCallFrameInformation: Bool { file.hasSection(".eh_frame") || file.hasSection(".debug_frame") }

  /// Whether it defines all of these functions itself.
  package func definesFunctions(_ names: Set<String>) -> Bool {
    [".symtab", ".dynsym"].contains { SymbolTable($0, of: file)?.defines(names) == true }
  }

  /// Whether one of its symbols has this name, defined here or elsewhere.
  package func namesSymbol(_ name: String) -> Bool {
    let wanted = Array(name.utf8)
    return [".dynstr", ".strtab"].contains { table in
      var rest = file.section(table)
      while !rest.isEmpty, let end = memchr(rest.start, 0, rest.count) {
        let length = UnsafeRawPointer(end) - rest.start
        if length == wanted.count, memcmp(rest.start, wanted, length) == 0 { return true }
        rest = rest.suffix(from: UInt64(length) + 1)
      }
      return false
    }
  }

  /// How many of the checked functions set up a frame pointer at their beginning; nil if no function can be found.
  ///
  /// The starts are those of the table in `.eh_frame_hdr` (Linux Standard Base, 10.6.2), at most a thousand, spread
  /// over the table. Functions that call no other function often have no frame pointer.
  package var framePointers: (with: Int, of: Int)? {
    guard let table = file.table(".eh_frame_hdr"), let text = file.table(".text") else { return nil }
    // The encodings that all linkers use: a count of 4 bytes, then pairs of 4-byte distances from this section.
    var cursor = ByteCursor(table.bytes)
    guard cursor.u8() == 1, cursor.u8() == 0x1b, cursor.u8() == 0x03, cursor.u8() == 0x3b else { return nil }
    cursor.skip(4)
    let count = Int(cursor.u32())
    guard !cursor.hasFailed, count > 0 else { return nil }
    var (with, of) = (0, 0)
    for index in stride(from: 0, to: count, by: max(count / 1_000, 1)) {
      var entry = ByteCursor(table.bytes, at: UInt64(12 + 8 * index))
      let distance = Int32(bitPattern: entry.u32())
      guard !entry.hasFailed else { break }
      let start = table.header.sh_addr &+ UInt64(bitPattern: Int64(distance))
      guard start >= text.header.sh_addr, start - text.header.sh_addr < text.header.sh_size else { continue }
      of += 1
      if setsUpFramePointer(text.bytes.suffix(from: start - text.header.sh_addr)) { with += 1 }
    }
    return of > 0 ? (with, of) : nil
  }

  private func setsUpFramePointer(_ code: Bytes) -> Bool {
    switch file.machine {
    case UInt16(EM_X86_64):
      // push %rbp; mov %rsp, %rbp, among the first instructions.
      let bytes = (0..<min(24, code.count)).map { code.start.load(fromByteOffset: $0, as: UInt8.self) }
      return bytes.indices.contains { index in
        bytes[index...].starts(with: [0x48, 0x89, 0xe5]) && bytes[..<index].contains(0x55)
      }
    case UInt16(EM_AARCH64):
      // stp x29, x30, [sp, …]
      var cursor = ByteCursor(code)
      return (0..<6).contains { _ in cursor.u32() & 0xfe40_7fff == 0xa800_7bfd }
    default: return false
    }
  }
}
