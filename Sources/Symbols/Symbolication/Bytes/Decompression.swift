import CLzma
import CZstd
import Glibc

/// Memory of its own, freed with the last reference.
final class OwnedBytes {
  let bytes: Bytes
  private let start: UnsafeMutableRawPointer

  /// Nil if there is no memory, or `fill` says that it could not fill all of it.
  init?(count: Int, _ fill: (UnsafeMutableRawPointer) -> Bool) {
    guard count > 0, let start = malloc(count) else { return nil }
    guard fill(start) else {
      free(start)
      return nil
    }
    self.start = start
    bytes = Bytes(start: start, count: count)
  }

  deinit { free(start) }
}

/// What libelf does not decompress.
enum Decompression {
  /// The type of zstd in a compressed section's header, which older system headers do not name.
  static let zstdType: UInt32 = 2

  /// Zstandard frames that make exactly `size` bytes.
  static func zstd(_ compressed: Bytes, size: UInt64) -> OwnedBytes? {
    guard let size = Int(exactly: size) else { return nil }
    return OwnedBytes(count: size) { start in
      ZSTD_decompress(start, size, compressed.start, compressed.count) == size
    }
  }

  /// One stream of the xz format that makes exactly `size` bytes.
  static func xz(_ compressed: Bytes, size: UInt64) -> OwnedBytes? {
    guard let count = Int(exactly: size) else { return nil }
    return OwnedBytes(count: count) { start in
      var memory = Limits.decompressionMemory
      var read = 0
      var written = 0
      let result = lzma_stream_buffer_decode(
        &memory, 0, nil, compressed.start.assumingMemoryBound(to: UInt8.self), &read, compressed.count,
        start.assumingMemoryBound(to: UInt8.self), &written, count)
      return result == LZMA_OK && written == count
    }
  }

  /// How much a stream of the xz format claims to hold, by the index at its end.
  static func xzSize(_ stream: Bytes) -> UInt64? {
    let footerSize = Int(LZMA_STREAM_HEADER_SIZE)
    guard stream.count >= 2 * footerSize else { return nil }
    let start = stream.start.assumingMemoryBound(to: UInt8.self)
    var flags = lzma_stream_flags()
    guard lzma_stream_footer_decode(&flags, start + stream.count - footerSize) == LZMA_OK,
      flags.backward_size <= UInt64(stream.count - 2 * footerSize)
    else { return nil }
    var index: OpaquePointer?
    var memory = Limits.decompressionMemory
    var position = stream.count - footerSize - Int(flags.backward_size)
    guard lzma_index_buffer_decode(&index, &memory, nil, start, &position, stream.count - footerSize) == LZMA_OK
    else { return nil }
    defer { lzma_index_end(index, nil) }
    return lzma_index_uncompressed_size(index)
  }
}
