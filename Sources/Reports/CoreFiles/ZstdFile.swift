import CZstd
import CrashReportReading
import Glibc
import LinuxCalls

/// The start of a compressed file.
enum ZstdHead {
  /// The first 64 bytes that are in it.
  static func read(_ descriptor: Int32) -> [UInt8] {
    guard let stream = ZstdStream(descriptor) else { return [] }
    var start: [UInt8] = []
    while start.count < 64, let piece = stream.next(), !piece.isEmpty { start += piece }
    return Array(start.prefix(64))
  }
}

/// Decompresses a core file as systemd-coredump keeps it: into a file without a name, as what is in it is private.
enum ZstdFile {
  /// The most bytes that are made of a file. What is zero takes no room on the disk.
  static let mostBytes: UInt64 = 32 << 30
  /// Of what is not zero and so takes room, as many times a file's size, and at least so many.
  private static let mostWritten: (times: UInt64, least: UInt64) = (times: 200, least: 1 << 30)
  private static let block = 4096

  /// - Throws: `ReadingError` where there is no room.
  static func decompress(
    _ source: Int32
  ) throws(ReadingError) -> (descriptor: Int32, size: UInt64, cut: String?) {
    guard let stream = ZstdStream(source) else { throw ReadingError(.inputOutput, "cannot be decompressed") }
    let target = try temporaryFile()
    var status = stat()
    fstat(source, &status)
    let room = max(UInt64(clamping: status.st_size) * mostWritten.times, mostWritten.least)
    var size: UInt64 = 0
    var written: UInt64 = 0
    var cut: String?
    while cut == nil {
      guard let piece = stream.next() else {
        cut = "its compressed data is damaged after \(size) bytes"
        break
      }
      if piece.isEmpty {
        if !stream.isAtFrameEnd { cut = "its compressed data ends after \(size) bytes" }
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
        throw ReadingError(.inputOutput, "cannot be decompressed into a temporary file (TMPDIR says where): \(why)")
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

  /// Leaves holes for blocks of zeros; gives how many bytes were written, nil where that failed.
  private static func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, to descriptor: Int32) -> Int? {
    var position = 0
    var total = 0
    while position < bytes.count {
      let length = min(block - Int((offset + UInt64(position)) % UInt64(block)), bytes.count - position)
      let piece = UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
      if piece.contains(where: { $0 != 0 }) {
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

/// A zstd stream, piece by piece.
final class ZstdStream {
  private let stream: OpaquePointer
  private let descriptor: Int32
  private var offset: off_t = 0
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
  private var pending = ZSTD_inBuffer(src: nil, size: 0, pos: 0)
  /// Whether all that came so far is whole frames.
  private(set) var isAtFrameEnd = false

  init?(_ descriptor: Int32) {
    guard let stream = ZSTD_createDStream() else { return nil }
    self.stream = stream
    self.descriptor = descriptor
  }

  deinit {
    ZSTD_freeDStream(stream)
    input.deallocate()
    output.deallocate()
  }

  /// The next bytes, valid until the next call; none at the end of the file, nil where the data is damaged.
  func next() -> UnsafeRawBufferPointer? {
    var made = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    while made.pos == 0 {
      if pending.pos == pending.size {
        let count = pread(descriptor, input.baseAddress, input.count, offset)
        guard count >= 0 else { return nil }
        if count == 0 { return UnsafeRawBufferPointer(start: output.baseAddress, count: 0) }
        offset += off_t(count)
        pending = ZSTD_inBuffer(src: input.baseAddress, size: count, pos: 0)
      }
      let result = ZSTD_decompressStream(stream, &made, &pending)
      guard ZSTD_isError(result) == 0 else { return nil }
      isAtFrameEnd = result == 0
    }
    return UnsafeRawBufferPointer(start: output.baseAddress, count: made.pos)
  }
}
