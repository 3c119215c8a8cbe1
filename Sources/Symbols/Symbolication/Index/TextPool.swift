import Glibc

/// Texts one after the other, each of them once: a length in LEB128, then the bytes. The first is the empty one.
struct TextPool {
  private(set) var bytes: [UInt8] = [0]
  /// Where texts are, by their hashes; 0 for a free place. The number of places is a power of two.
  private var places = [UInt32](repeating: 0, count: 1 << 12)
  private var count = 0

  /// Begins with the empty text.
  init() {}

  /// Begins with texts that a pool had; nil if they do not end where they should.
  init?(_ texts: Bytes) {
    bytes = Array(UnsafeRawBufferPointer(start: texts.start, count: texts.count))
    var cursor = ByteCursor(texts, at: 1)
    while !cursor.isAtEnd {
      let offset = UInt32(truncatingIfNeeded: cursor.offset)
      let length = cursor.uleb()
      let text = UnsafeRawBufferPointer(start: cursor.pointer, count: Int(min(length, UInt64(cursor.remaining))))
      cursor.skip(length)
      guard !cursor.hasFailed else { return nil }
      growIfFull()
      places[place(of: text)] = offset
      count += 1
    }
  }

  /// Where a text is, which is added if it is new.
  mutating func offset(of text: UnsafeRawBufferPointer) -> UInt32 {
    if text.isEmpty { return 0 }
    growIfFull()
    let place = place(of: text)
    if places[place] == 0 {
      places[place] = UInt32(truncatingIfNeeded: bytes.count)
      count += 1
      bytes.appendLEB128(UInt64(text.count))
      bytes += text
    }
    return places[place]
  }

  /// Where a text is; nil if it is not there.
  func offset(ofKnown text: UnsafeRawBufferPointer) -> UInt32? {
    if text.isEmpty { return 0 }
    let offset = places[place(of: text)]
    return offset == 0 ? nil : offset
  }

  /// The place that has a text, or the free one that is to have it.
  private func place(of text: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: text)
    var place = hasher.finalize() & (places.count - 1)
    bytes.withUnsafeBytes { bytes in
      while places[place] != 0, !text.isSame(as: Self.text(at: places[place], in: bytes)) {
        place = (place + 1) & (places.count - 1)
      }
    }
    return place
  }

  private static func text(at offset: UInt32, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var cursor = ByteCursor(Bytes(bytes.baseAddress, count: bytes.count), at: UInt64(offset))
    let length = cursor.uleb()
    return UnsafeRawBufferPointer(start: cursor.pointer, count: Int(min(length, UInt64(cursor.remaining))))
  }

  /// At most half of the places are in use.
  private mutating func growIfFull() {
    guard 2 * count >= places.count else { return }
    let old = places
    places = [UInt32](repeating: 0, count: 4 * old.count)
    for offset in old where offset != 0 {
      places[bytes.withUnsafeBytes { place(of: Self.text(at: offset, in: $0)) }] = offset
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether another one has the same bytes.
  fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let start = baseAddress, let otherStart = other.baseAddress else { return false }
    return memcmp(start, otherStart, count) == 0
  }
}

extension [UInt8] {
  /// Appends a number, seven bits in each byte.
  mutating func appendLEB128(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
