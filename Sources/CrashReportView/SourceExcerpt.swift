import Glibc

/// A few lines of a source file around one of them.
struct SourceExcerpt {
  /// Larger files are no source that a person wrote.
  private static let largest = 8 << 20
  private static let linesBefore = 2
  private static let linesAfter = 2
  private static let longestLine = 200

  /// The numbers and texts of the lines, tabs as blanks.
  var lines: [(number: Int, text: String)]
  /// How many characters stand before the column in the middle line; `nil` where the column is not known.
  var caret: Int?
  /// When the file was changed, in seconds since 1970.
  var modified: Int

  /// Reads around a line; `nil` unless the path is a regular file that has the line.
  init?(path: String, line: Int, column: Int?) {
    guard line > 0, let (bytes, modified) = Self.read(path) else { return nil }
    self.modified = modified
    let first = max(1, line - Self.linesBefore)
    lines = []
    var number = 1
    var position = bytes.startIndex
    while position < bytes.endIndex, number <= line + Self.linesAfter {
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.endIndex
      if number >= first {
        let raw = bytes[position..<end].prefix(Self.longestLine)
        lines.append((number, Self.expand(raw)))
        if number == line, let column, column > 0, column <= raw.count + 1 {
          caret = Self.expand(raw.prefix(column - 1)).count
        }
      }
      position = end < bytes.endIndex ? end + 1 : end
      number += 1
    }
    guard lines.contains(where: { $0.number == line }) else { return nil }
  }

  private static func expand(_ bytes: some Sequence<UInt8>) -> String {
    let text = String(decoding: Array(bytes), as: UTF8.self)
    var result = ""
    for character in text where character != "\r" {
      result += character == "\t" ? String(repeating: " ", count: 4 - result.count % 4) : String(character)
    }
    return result
  }

  private static func read(_ path: String) -> (bytes: [UInt8], modified: Int)? {
    // The path is the report's: what it names is looked at before it is opened, as opening can act on a device.
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // Once more: the name may have come to mean something else.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest else {
      return nil
    }
    let size = Int(status.st_size)
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = Glibc.read(descriptor, buffer.baseAddress! + count, size - count)
        if got <= 0 { break }
        count += got
      }
    }
    return bytes.isEmpty ? nil : (bytes, Int(status.st_mtim.tv_sec))
  }
}
