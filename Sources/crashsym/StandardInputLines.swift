import CrashReportReading
import Glibc
import Linux

/// The lines of standard input as they come: those that are there already together, one that comes alone at once.
struct StandardInputLines {
  /// A line longer than this is not waited for.
  static let longestLine = 64 << 10
  /// Many at once are looked up faster.
  private static let mostRead = 256 << 10

  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// The next lines without blanks around them and without empty ones; nil at the end. May be empty.
  ///
  /// - Throws: `ReadingError` where standard input cannot be read, or holds a line of more than 64 KiB.
  mutating func next() throws(ReadingError) -> [String]? {
    guard !isAtEnd else { return nil }
    let chunk = try Input.read(STDIN_FILENO, atMost: Self.mostRead)
    isAtEnd = chunk.isEmpty
    rest += chunk
    let newline = UInt8(ascii: "\n")
    let end = isAtEnd ? rest.endIndex : rest.lastIndex(of: newline).map { $0 + 1 } ?? rest.startIndex
    let lines = rest[..<end].split(separator: newline).compactMap(Self.text)
    rest.removeSubrange(..<end)
    guard rest.count <= Self.longestLine else {
      throw ReadingError(.notAReport, "a line of more than \(Self.longestLine >> 10) KiB, not an address")
    }
    return lines
  }

  private static func text(_ line: ArraySlice<UInt8>) -> String? {
    var line = line
    while let last = line.last, last == 0x20 || (9...13).contains(last) { line.removeLast() }
    line = line.drop { $0 == 0x20 || (9...13).contains($0) }
    return line.isEmpty ? nil : String(systemBytes: line)
  }
}
