import CrashReportReading
import Glibc

/// The lines of standard input or a file one by one, as soon as each is whole, in bounded memory.
struct StreamLines {
  /// A line of more bytes than this is passed over.
  static let longestLine = 32 << 20

  /// A line, counted from 1.
  struct Line {
    var number: Int
    var content: Content
  }

  enum Content {
    /// The bytes without the line end.
    case bytes([UInt8])
    /// More than `longestLine` bytes, which are dropped.
    case tooLong
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  private var number = 0

  init(of descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

  /// The next line; nil at the end.
  ///
  /// - Throws: `ReadingError` if the descriptor cannot be read.
  mutating func next() throws(ReadingError) -> Line? {
    var line: [UInt8] = []
    var isTooLong = false
    while true {
      let newline = buffer[position...].firstIndex(of: UInt8(ascii: "\n"))
      let end = newline ?? buffer.endIndex
      if !isTooLong { line += buffer[position..<end] }
      if line.count > Self.longestLine {
        isTooLong = true
        line = []
      }
      position = newline.map { $0 + 1 } ?? end
      if newline != nil || (isAtEnd && (!line.isEmpty || isTooLong)) { break }
      if isAtEnd { return nil }
      buffer = try InputFile.readChunk(descriptor, atMost: 1 << 20)
      position = 0
      isAtEnd = buffer.isEmpty
    }
    number += 1
    return Line(number: number, content: isTooLong ? .tooLong : .bytes(line))
  }
}
