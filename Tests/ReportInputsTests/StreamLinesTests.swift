import Foundation
import Testing

@testable import ReportInputs

@Suite struct StreamLinesTests {
  private func lines(_ bytes: [UInt8]) throws -> [StreamLines.Line] {
    let files = try TemporaryFiles()
    let path = try files.write(bytes, to: "lines")
    let handle = try #require(FileHandle(forReadingAtPath: path))
    var lines = StreamLines(of: handle.fileDescriptor)
    var found: [StreamLines.Line] = []
    while let line = try lines.next() { found.append(line) }
    return found
  }

  private func text(_ line: StreamLines.Line) -> String? {
    guard case .bytes(let bytes) = line.content else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\nb\n", ["a", "b"]), ("a\n\nb", ["a", "", "b"]),
  ])
  func linesEndAtLineFeedsAndTheEnd(_ input: String, _ expected: [String]) throws {
    let found = try lines(Array(input.utf8))
    #expect(found.map(text) == expected)
    #expect(found.map(\.number) == Array(1..<(expected.count + 1)))
  }

  @Test func aLineBeyondTheLimitIsDroppedAndCounted() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: StreamLines.longestLine + 1)
    let found = try lines(long + Array("\nshort\n".utf8))
    #expect(found.map(text) == [nil, "short"])
    #expect(found.map(\.number) == [1, 2])
  }
}
