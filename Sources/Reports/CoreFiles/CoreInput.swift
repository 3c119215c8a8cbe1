import CLibdw
import CrashReportReading
import Glibc
import LinuxCalls

/// A core file that is open: the file that was named, or what was decompressed from it.
final class CoreInput {
  let descriptor: Int32
  /// The bytes in the file. A truncated core names more.
  let size: UInt64
  let header: Elf64_Ehdr
  /// When the file was last written, in microseconds since 1970.
  let modified: Int64
  /// Why not all of the compressed file was read.
  let cut: String?
  /// What systemd-coredump wrote beside it.
  let attributes: CoreAttributes

  private static let elfMark: [UInt8] = [0x7f, 0x45, 0x4c, 0x46]

  /// Whether the first bytes are those of a core file, plain or compressed, or of a file that may be one and cannot be
  /// decompressed.
  static func isCore(at path: String) -> Bool {
    var status = stat()
    guard let file = openRegular(path, &status) else { return false }
    defer { close(file) }
    let start = head(of: file)
    guard let compression = Compression(start) else { return isCore(start) }
    return (try? compression.head(of: file)).map(isCore) ?? true
  }

  /// A regular file's descriptor, or `nil`: to open a pipe or to read a device may act on it.
  private static func openRegular(_ path: String, _ status: inout stat) -> Int32? {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      return nil
    }
    return file
  }

  /// `nil` if the path is no core file and not compressed: another source says what is wrong with it.
  ///
  /// - Throws: `ReadingError` if it is a core file that cannot be read.
  init?(path: String) throws(ReadingError) {
    var status = stat()
    guard let file = Self.openRegular(path, &status) else { return nil }
    modified = Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1_000
    attributes = CoreAttributes(file)
    var start = Self.head(of: file)
    if let compression = Compression(start) {
      defer { close(file) }
      guard Self.isCore(try compression.head(of: file)) else { throw compression.lacksCore }
      let whole = try DecompressedFile.decompress(file, compression)
      (descriptor, size, cut) = (whole.descriptor, whole.size, whole.cut)
      start = Self.head(of: descriptor)
    } else {
      guard Self.isCore(start) else {
        close(file)
        return nil
      }
      (descriptor, size, cut) = (file, UInt64(status.st_size), nil)
    }
    header = start.withUnsafeBytes { $0.loadUnaligned(as: Elf64_Ehdr.self) }
    if let lack = Self.lack(of: header) {
      close(descriptor)
      throw ReadingError(.notAReport, lack)
    }
  }

  deinit { close(descriptor) }

  private static func head(of descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: MemoryLayout<Elf64_Ehdr>.size) { buffer, count in
      count = max(pread(descriptor, buffer.baseAddress, buffer.count, 0), 0)
    }
  }

  /// By the ELF type, which stands at the same place whatever the machine.
  private static func isCore(_ start: [UInt8]) -> Bool {
    guard start.count == MemoryLayout<Elf64_Ehdr>.size, start.starts(with: elfMark) else { return false }
    let isLittle = start[Int(EI_DATA)] == UInt8(ELFDATA2LSB)
    return (isLittle ? start[16] : start[17]) == UInt8(ET_CORE) && (isLittle ? start[17] : start[16]) == 0
  }

  private static func lack(of header: Elf64_Ehdr) -> String? {
    if header.e_ident.5 != UInt8(ELFDATA2LSB) { return "a core file of a big-endian machine, which is not supported" }
    if header.e_ident.4 != UInt8(ELFCLASS64) { return "a core file of a 32-bit program, which is not supported" }
    if CoreMachine(header.e_machine) == nil { return "a core file for a processor that is neither x86-64 nor AArch64" }
    return nil
  }
}
