import Glibc

extension UnsafeRawBufferPointer {
  /// The offset of the first such byte at or after `start`.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count else { return nil }
    guard let hit = memchr(baseAddress + start, Int32(byte), count - start) else { return nil }
    return UnsafeRawPointer(hit) - baseAddress
  }

  /// The offset of the first such text at or after `start`.
  func firstIndex(of text: StaticString, from start: Int) -> Int? {
    var position = start
    while let hit = firstIndex(of: text.utf8Start[0], from: position), hit + text.utf8CodeUnitCount <= count {
      if memcmp(self.baseAddress! + hit, text.utf8Start, text.utf8CodeUnitCount) == 0 { return hit }
      position = hit + 1
    }
    return nil
  }

  /// The text from `start` to the end of its line, at most `limit` bytes of it.
  func line(from start: Int, limit: Int) -> String {
    let lineEnd = firstIndex(of: 0x0A, from: start) ?? count
    var end = Swift.min(lineEnd, start + limit)
    if end > start, self[end - 1] == 0x0D { end -= 1 }
    return String(decoding: self[start..<end], as: UTF8.self)
  }
}
