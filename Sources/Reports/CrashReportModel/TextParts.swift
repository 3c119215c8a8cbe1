/// Search in paths byte by byte: a search by characters takes many times longer.
extension String {
  /// Whether the text contains `part`.
  func holds(_ part: String) -> Bool { end(of: part) != nil }

  /// Where `part`, which is not empty, first ends.
  func end(of part: String) -> Index? {
    // Native text has its bytes in one piece, and `withUTF8` makes it so.
    var (text, part) = (self, part)
    let end = text.withUTF8 { bytes in part.withUTF8 { bytes.end(of: $0) } }
    return end.map { utf8.index(utf8.startIndex, offsetBy: $0) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func end(of part: UnsafeBufferPointer<UInt8>) -> Int? {
    guard part.count <= count else { return nil }
    for start in 0...(count - part.count) where self[start] == part[0] {
      if (1..<part.count).allSatisfy({ self[start + $0] == part[$0] }) { return start + part.count }
    }
    return nil
  }
}
