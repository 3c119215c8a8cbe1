import Glibc

/// Decompresses bytes as they come.
protocol Decoder: AnyObject {
  /// Takes what it can of the input, and gives how many bytes it put into the output; nil if the data is damaged.
  ///
  /// The input is empty once there is no more.
  func decode(_ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int?
  /// Whether the compressed data ends with what was taken so far.
  var isAtEnd: Bool { get }
  /// What is wrong with data for which `decode` gave nil.
  var damage: String { get }
}

extension Decoder {
  var damage: String { "is damaged" }
}

/// A compressed file, decompressed piece by piece.
///
/// A file that is longer than what it holds has padding, or frames to pass over: perhaps holes that take hours to read.
/// It is read as far as it is at most twice as long, and a little more.
final class DecompressedStream {
  private static let mostBarren: UInt64 = 16 << 20
  private let descriptor: Int32
  private let decoder: any Decoder
  private var offset: off_t = 0
  private var made: UInt64 = 0
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
  private var pending = UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ descriptor: Int32, _ decoder: any Decoder) {
    self.descriptor = descriptor
    self.decoder = decoder
  }

  deinit {
    input.deallocate()
    output.deallocate()
  }

  /// Whether all that came so far is whole.
  var isWhole: Bool { decoder.isAtEnd }
  /// What is wrong with data for which `next` gave nil.
  var damage: String { isBarren ? "is more than twice as large as the decompressed data" : decoder.damage }

  private var isBarren: Bool { UInt64(offset) > 2 * made + Self.mostBarren }

  /// The next bytes, valid until the next call; none at the end of the file, nil if the data is damaged.
  func next() -> UnsafeRawBufferPointer? {
    while true {
      if pending.isEmpty {
        guard !isBarren else { return nil }
        let count = pread(descriptor, input.baseAddress, input.count, offset)
        guard count >= 0 else { return nil }
        offset += off_t(count)
        pending = UnsafeRawBufferPointer(rebasing: input[..<count])
      }
      let before = pending.count
      guard let count = decoder.decode(&pending, into: output) else { return nil }
      made += UInt64(count)
      if count > 0 || before == 0 { return UnsafeRawBufferPointer(rebasing: output[..<count]) }
      guard pending.count < before else { return nil }
    }
  }
}
