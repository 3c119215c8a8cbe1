/// Search in paths byte by byte: a search by characters takes many times longer.
extension String {
  /// Whether `part` stands anywhere in the text.
  func holds(_ part: String) -> Bool { end(of: part) != nil }

  /// Where `part`, which is not empty, first ends.
  func end(of part: String) -> Index? {
    let part = Array(part.utf8)
    var rest = utf8[...]
    while let start = rest.firstIndex(of: part[0]) {
      rest = rest[start...]
      if rest.starts(with: part) { return utf8.index(start, offsetBy: part.count) }
      rest = rest.dropFirst()
    }
    return nil
  }
}
