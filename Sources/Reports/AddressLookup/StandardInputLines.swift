import CrashReportReading
import Glibc
import LinuxCalls

/// Reads lines of standard input when they arrive. ``next()`` waits for the next bytes, and then returns all lines that
/// are complete.
public struct StandardInputLines {
  /// A line may have at most this many bytes.
  static let longestLine = 64 << 10
  /// To look up many at once is faster.
  private static let mostRead = 256 << 10

  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// Starts at the current position.
  public init() {}

  /// The next lines, without white space around them and without empty lines; nil at the end of input. The array may be
  /// empty.
  ///
  /// - Throws: `ReadingError` if standard input cannot be read, or holds a line of more than 64 KiB.
  public mutating func next() throws(ReadingError) -> [String]? {
    guard !isAtEnd else { return nil }
    let chunk = try InputFile.readChunk(STDIN_FILENO, atMost: Self.mostRead)
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
