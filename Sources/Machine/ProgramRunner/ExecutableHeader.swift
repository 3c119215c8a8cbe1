import Glibc
import LinuxCalls

/// What the first bytes of an executable file say about how it is started.
enum ExecutableHeader: Equatable {
  /// A script, and the interpreter in its first line.
  case script(interpreter: String)
  /// An ELF file: its `EM_…`, whether it has 64 bits, and its dynamic loader if it has one.
  case elf(machine: UInt16, is64Bit: Bool, loader: String?)
  /// Anything else: the kernel or the shell decides.
  case other

  /// Reads a file; `nil` if it may be executed but not read.
  static func read(_ path: String) -> ExecutableHeader? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let start = bytes(of: descriptor, at: 0, count: 256)
    if start.starts(with: "#!".utf8) { return .script(interpreter: interpreter(in: start)) }
    guard start.count >= 64, start.starts(with: [0x7F, 0x45, 0x4C, 0x46]), start[5] == 1 else { return .other }
    let is64Bit = start[4] == 2
    let machine = UInt16(start.number(at: 18, size: 2))
    return .elf(machine: machine, is64Bit: is64Bit, loader: is64Bit ? loader(descriptor, start) : nil)
  }

  /// The first word after `#!`.
  private static func interpreter(in start: [UInt8]) -> String {
    let line = start.dropFirst(2).prefix { $0 != 0x0A }
    let word = line.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0 }
    return String(systemBytes: word)
  }

  /// The path in the segment PT_INTERP of a 64-bit file (elf(5)).
  private static func loader(_ descriptor: Int32, _ start: [UInt8]) -> String? {
    let tableOffset = start.number(at: 32, size: 8)
    let entrySize = start.number(at: 54, size: 2)
    let entryCount = start.number(at: 56, size: 2)
    guard entrySize >= 56, tableOffset <= Int64.max - 1 << 32 else { return nil }
    for index in 0..<entryCount {
      let entry = bytes(of: descriptor, at: Int(tableOffset + index * entrySize), count: 56)
      guard entry.count == 56 else { return nil }
      guard entry.number(at: 0, size: 4) == 3 else { continue }
      guard let offset = Int(exactly: entry.number(at: 8, size: 8)) else { return nil }
      let size = Int(min(entry.number(at: 32, size: 8), UInt64(PATH_MAX)))
      let path = bytes(of: descriptor, at: offset, count: size).prefix { $0 != 0 }
      return String(systemBytes: path)
    }
    return nil
  }

  private static func bytes(of descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, count, offset))
    }
  }
}

extension [UInt8] {
  /// A little-endian number.
  fileprivate func number(at offset: Int, size: Int) -> UInt64 {
    self[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
