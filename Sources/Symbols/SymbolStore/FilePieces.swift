/// A file to be written: runs of bytes one after the other, with zeros where a place is left out.
struct FilePieces {
  private enum Piece {
    case zeros(Int)
    case borrowed(UnsafeRawBufferPointer)
    case owned([UInt8])
  }

  private var pieces: [Piece]
  /// How long the file is so far.
  private(set) var end: UInt64

  /// A file that begins with something that is known last.
  init(startSize: UInt64) {
    pieces = [.zeros(Int(startSize))]
    end = startSize
  }

  /// Sets what the file begins with; of the size that was said.
  mutating func fillStart<Value: BitwiseCopyable>(with value: Value) {
    pieces[0] = .owned(withUnsafeBytes(of: value) { Array($0) })
  }

  /// A file with the same contents as another.
  init(copyOf bytes: UnsafeRawBufferPointer) {
    pieces = [.borrowed(bytes)]
    end = UInt64(bytes.count)
  }

  /// Leaves out bytes up to an offset, which must not lie before the end.
  mutating func seek(to offset: UInt64) {
    precondition(offset >= end)
    if offset > end { pieces.append(.zeros(Int(offset - end))) }
    end = offset
  }

  /// More than a page of any machine is no alignment of what is in a file.
  private static let mostAlignment: UInt64 = 64 << 10

  mutating func align(to alignment: UInt64) {
    let alignment = (1...Self.mostAlignment).contains(alignment) ? alignment : 1
    seek(to: (end + alignment - 1) / alignment * alignment)
  }

  /// The bytes must stay where they are until the file is written.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    pieces.append(.borrowed(bytes))
    end += UInt64(bytes.count)
  }

  mutating func append(_ bytes: [UInt8]) {
    pieces.append(.owned(bytes))
    end += UInt64(bytes.count)
  }

  mutating func append<Value: BitwiseCopyable>(value: Value) {
    append(withUnsafeBytes(of: value) { Array($0) })
  }

  /// Hands over runs of bytes from front to back.
  func visit<Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    for piece in pieces {
      switch piece {
      case .zeros(var count):
        let zeros = [UInt8](repeating: 0, count: min(count, 64 << 10))
        while count > 0 {
          let part = min(count, zeros.count)
          try Self.with(zeros, part, body)
          count -= part
        }
      case .borrowed(let bytes): try body(bytes)
      case .owned(let bytes): try Self.with(bytes, bytes.count, body)
      }
    }
  }

  private static func with<Failure: Error>(
    _ bytes: [UInt8], _ count: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) }
    }
    try result.get()
  }
}
