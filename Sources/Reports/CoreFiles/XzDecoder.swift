import CLzma

/// Streams of the xz format, one after the other.
final class XzDecoder: Decoder {
  /// `xz -9` makes files that take 65 MiB; a file may ask for 4 GiB.
  private static let memory: UInt64 = 256 << 20
  /// LZMA_CONCATENATED, which Swift cannot import.
  private static let concatenated: UInt32 = 0x08

  private var stream = lzma_stream()
  private(set) var isAtEnd = false
  private(set) var damage = "is damaged"

  init?() {
    guard lzma_stream_decoder(&stream, Self.memory, Self.concatenated) == LZMA_OK else { return nil }
  }

  deinit { lzma_end(&stream) }

  func decode(_ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    stream.next_in = input.bindMemory(to: UInt8.self).baseAddress
    stream.avail_in = input.count
    stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.avail_out = output.count
    let result = lzma_code(&stream, input.isEmpty ? LZMA_FINISH : LZMA_RUN)
    input = UnsafeRawBufferPointer(rebasing: input.suffix(stream.avail_in))
    switch result {
    case LZMA_STREAM_END: isAtEnd = true
    // The second: data that ends too early.
    case LZMA_OK, LZMA_BUF_ERROR: break
    case LZMA_MEMLIMIT_ERROR:
      damage = "takes more than \(Self.memory >> 20) MiB of memory"
      return nil
    default: return nil
    }
    return output.count - stream.avail_out
  }
}
