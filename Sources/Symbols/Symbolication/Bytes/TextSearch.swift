import Glibc

/// Search in names byte by byte: what is looked for is ASCII, and to look at a name's characters takes many times longer.
extension StringProtocol {
  /// Where `other` first stands.
  func firstRange(of other: String) -> Range<Index>? { range(of: other, after: startIndex) }

  /// Where `other` first stands from an index on.
  func range(of other: String, after start: Index) -> Range<Index>? {
    let rest = utf8[start...]
    let place =
      rest.withContiguousStorageIfAvailable { ByteSearch.first(of: other, in: UnsafeRawBufferPointer($0)) }
      ?? Array(rest).withUnsafeBytes { ByteSearch.first(of: other, in: $0) }
    return place.map { place in
      let low = utf8.index(start, offsetBy: place)
      return low..<utf8.index(low, offsetBy: other.utf8.count)
    }
  }

  /// Whether its first bytes are those of `prefix`.
  func begins(with prefix: String) -> Bool {
    utf8.withContiguousStorageIfAvailable { ByteSearch.begin(UnsafeRawBufferPointer($0), with: prefix) }
      ?? utf8.starts(with: prefix.utf8)
  }

  /// What follows a beginning.
  func after(_ prefix: String) -> SubSequence? {
    begins(with: prefix) ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
  }

  /// What precedes an end.
  func before(_ suffix: String) -> SubSequence? {
    guard utf8.count >= suffix.utf8.count else { return nil }
    let start = utf8.index(endIndex, offsetBy: -suffix.utf8.count)
    return self[start...].begins(with: suffix) ? self[..<start] : nil
  }
}

private enum ByteSearch {
  static func begin(_ bytes: UnsafeRawBufferPointer, with prefix: String) -> Bool {
    var prefix = prefix
    return prefix.withUTF8 { pattern in
      guard let start = bytes.baseAddress, let first = pattern.baseAddress else { return pattern.isEmpty }
      return bytes.count >= pattern.count && memcmp(start, first, pattern.count) == 0
    }
  }

  static func first(of other: String, in bytes: UnsafeRawBufferPointer) -> Int? {
    var other = other
    return other.withUTF8 { pattern in
      guard let first = pattern.first else { return nil }
      var from = 0
      while bytes.count - from >= pattern.count, let start = bytes.baseAddress,
        let found = memchr(start + from, Int32(first), bytes.count - from - pattern.count + 1)
      {
        let place = UnsafeRawPointer(found) - start
        if memcmp(found, pattern.baseAddress!, pattern.count) == 0 { return place }
        from = place + 1
      }
      return nil
    }
  }
}
