import Glibc

extension UnsafeRawBufferPointer {
  /// The offset of the first such byte at or after `start`.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count else { return nil }
    guard let hit = memchr(baseAddress + start, Int32(byte), count - start) else { return nil }
    return UnsafeRawPointer(hit) - baseAddress
  }

  /// The offset of the first such text at or after `start`.
  package func firstIndex(of text: StaticString, from start: Int) -> Int? {
    var position = start
    while let hit = firstIndex(of: text.utf8Start[0], from: position), hit + text.utf8CodeUnitCount <= count {
      if memcmp(self.baseAddress! + hit, text.utf8Start, text.utf8CodeUnitCount) == 0 { return hit }
      position = hit + 1
    }
    return nil
  }

  /// The last line that contains such a text, and the place of the first such text in this line.
  func lastLine(with text: StaticString) -> (start: Int, text: Int, end: Int)? {
    var last: Int?
    var position = 0
    while let hit = firstIndex(of: text, from: position) {
      last = hit
      position = hit + text.utf8CodeUnitCount
    }
    guard let last else { return nil }
    let start = self[..<last].lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? 0
    let end = self[last...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? count
    return (start, firstIndex(of: text, from: start) ?? last, end)
  }

  /// The text from `start` to the end of its line, at most `limit` bytes of it.
  func line(from start: Int, limit: Int) -> String {
    // No further than the limit: a file may be one line, in which many places are asked for.
    let most = count - start > limit ? start + limit : count
    var end = UnsafeRawBufferPointer(rebasing: self[..<most]).firstIndex(of: 0x0A, from: start) ?? most
    if end > start, self[end - 1] == 0x0D { end -= 1 }
    return String(decoding: self[start..<end], as: UTF8.self)
  }
}
