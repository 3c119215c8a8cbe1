import CZstd

/// Zstandard frames, one after the other.
final class ZstdDecoder: Decoder {
  private let stream: OpaquePointer
  private(set) var isAtEnd = false

  init?() {
    guard let stream = ZSTD_createDStream() else { return nil }
    self.stream = stream
  }

  deinit { ZSTD_freeDStream(stream) }

  func decode(_ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    var taken = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var made = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let result = ZSTD_decompressStream(stream, &made, &taken)
    guard ZSTD_isError(result) == 0 else { return nil }
    // A call that moves nothing speaks of the next frame, of which nothing may come.
    if taken.pos > 0 || made.pos > 0 { isAtEnd = result == 0 }
    input = UnsafeRawBufferPointer(rebasing: input.dropFirst(taken.pos))
    return made.pos
  }
}
