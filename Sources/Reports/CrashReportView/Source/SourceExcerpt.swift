/// A few lines of a source file around one of them.
struct SourceExcerpt {
  private static let linesBefore = 2
  private static let linesAfter = 2
  private static let longestLine = 200

  /// The numbers and texts of the lines, tabs as blanks.
  var lines: [(number: Int, text: String)]
  /// How many characters are before the column in the middle line; `nil` if the column is not known.
  var caret: Int?

  /// Cuts out the lines around one; `nil` if the text does not have it.
  init?(of bytes: [UInt8], line: Int, column: Int?) {
    guard line > 0 else { return nil }
    let first = max(1, line - Self.linesBefore)
    lines = []
    var number = 1
    var position = bytes.startIndex
    while position < bytes.endIndex, number - line <= Self.linesAfter {
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
}
