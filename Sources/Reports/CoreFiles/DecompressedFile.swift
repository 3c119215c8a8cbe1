import CrashReportModel
import CrashReportReading
import Glibc
import LinuxCalls

/// Decompresses a core file as systemd-coredump keeps it: into a file without a name, as what is in it is private.
enum DecompressedFile {
  /// The most bytes that are made of a file. What is zero takes no room on the disk.
  static let mostBytes: UInt64 = 32 << 30
  /// Of what is not zero and so takes room, as many times a file's size, and at least so many.
  private static let mostWritten: (times: UInt64, least: UInt64) = (times: 200, least: 1 << 30)
  private static let block = 4096
  private static let zeros = [UInt8](repeating: 0, count: block)

  /// - Throws: `ReadingError` if there is no room.
  static func decompress(
    _ source: Int32, _ compression: Compression
  ) throws(ReadingError) -> (descriptor: Int32, size: UInt64, cut: String?) {
    let stream = try compression.stream(source)
    let target = try temporaryFile()
    var status = stat()
    fstat(source, &status)
    let room = max(UInt64(clamping: status.st_size) * mostWritten.times, mostWritten.least)
    var size: UInt64 = 0
    var written: UInt64 = 0
    var cut: String?
    while cut == nil {
      guard let piece = stream.next() else {
        cut = "its compressed data \(stream.damage) after \(counted(size, "byte"))"
        break
      }
      if piece.isEmpty {
        if !stream.isWhole { cut = "its compressed data ends after \(counted(size, "byte"))" }
        break
      }
      guard size + UInt64(piece.count) <= mostBytes else {
        cut = "it is larger than \(mostBytes >> 30) GiB when decompressed"
        break
      }
      guard written <= room else {
        cut = "it is more than \(mostWritten.times) times as large when decompressed"
        break
      }
      guard let count = write(piece, at: size, to: target) else {
        let why = errorText(errno)
        close(target)
        throw ReadingError(
          .inputOutput, "cannot be decompressed into a temporary file (TMPDIR sets its folder): \(why)")
      }
      size += UInt64(piece.count)
      written += UInt64(count)
    }
    _ = ftruncate(target, off_t(size))
    return (target, size, cut)
  }

  private static func temporaryFile() throws(ReadingError) -> Int32 {
    let folder = environment("TMPDIR") ?? "/var/tmp"
    var name = "\(folder)/crashsym-XXXXXX".systemText
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else {
      let why = errorText(errno)
      throw ReadingError(.inputOutput, "cannot be decompressed: no temporary file in \(folder): \(why)")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    Glibc.unlink(name)
    return descriptor
  }

  /// Leaves holes for blocks of zeros; gives how many bytes were written, nil if that failed.
  private static func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, to descriptor: Int32) -> Int? {
    var position = 0
    var total = 0
    while position < bytes.count {
      let length = min(block - Int((offset + UInt64(position)) % UInt64(block)), bytes.count - position)
      let piece = UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
      if memcmp(piece.baseAddress!, zeros, length) != 0 {
        var written = 0
        while written < length {
          let count = pwrite(
            descriptor, piece.baseAddress! + written, length - written, off_t(offset) + off_t(position + written))
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return nil }
          written += count
        }
        total += length
      }
      position += length
    }
    return total
  }
}
