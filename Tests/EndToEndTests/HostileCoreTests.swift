import Foundation
import Testing

extension EndToEnd {
  /// Core files that no kernel wrote.
  @Suite struct HostileCoreTests {
    /// The bytes of an x86-64 core of one thread.
    private struct Core {
      private static let headerSize = 64
      private static let segmentSize = 56
      private var notes: [UInt8] = []

      init() { addNote(1, thread) }

      /// A note of the owner CORE: 1 a thread, 6 the auxiliary vector, 0x46494c45 the mapped files.
      mutating func addNote(_ type: UInt32, _ contents: [UInt8]) {
        notes +=
          bytes(UInt32(5)) + bytes(UInt32(contents.count)) + bytes(type) + [UInt8]("CORE\0\0\0\0".utf8) + contents
      }

      /// - Parameters:
      ///   - copies: How many headers name the notes.
      ///   - hole: Bytes of zeros behind the notes, which belong to the last one.
      func write(to url: URL, copies: Int = 1, hole: Int = 0) throws {
        let start = Self.headerSize + copies * Self.segmentSize
        var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        file += bytes(UInt16(4)) + bytes(UInt16(62)) + bytes(UInt32(1)) + bytes(UInt64(0)) + bytes(UInt64(64))
        file += bytes(UInt64(0)) + bytes(UInt32(0)) + bytes(UInt16(64)) + bytes(UInt16(56)) + bytes(UInt16(copies))
        file += bytes(UInt16(64)) + bytes(UInt16(0)) + bytes(UInt16(0))
        for _ in 0..<copies {
          file += bytes(UInt32(4)) + bytes(UInt32(0)) + bytes(UInt64(start)) + bytes(UInt64(0)) + bytes(UInt64(0))
          file += bytes(UInt64(notes.count + hole)) + bytes(UInt64(0)) + bytes(UInt64(4))
        }
        try Data(file + notes).write(to: url)
        truncate(url.path, start + notes.count + hole)
      }

      /// The beginning of a note of so many bytes, which are to follow as a hole.
      mutating func beginNote(_ type: UInt32, size: Int) {
        notes += bytes(UInt32(5)) + bytes(UInt32(size)) + bytes(type) + [UInt8]("CORE\0\0\0\0".utf8)
      }

      private var thread: [UInt8] {
        var contents = [UInt8](repeating: 0, count: 336)
        contents[12] = 6
        contents[32] = 42
        return contents
      }
    }

    /// The program's entry is the last address there is.
    @Test func anEntryAtTheEndOfAllAddresses() throws {
      let folder = try TemporaryFolder()
      var core = Core()
      core.addNote(3, [UInt8](repeating: 0x61, count: 136))
      core.addNote(6, ([9, UInt64.max, 3, 0x40_0040, 0, 0] as [UInt64]).flatMap { bytes($0) })
      let url = folder.url.appending(path: "entry.core")
      try core.write(to: url)
      let run = try ProgramRun.run([Products.crashsym, url.path])
      #expect(run.end == .exited(0), "\(run.standardError)")
    }

    /// Many headers name one large note: each byte of the file costs once.
    @Test func manyHeadersOfOneLargeNote() throws {
      let folder = try TemporaryFolder()
      var core = Core()
      let size = 60 << 20
      core.beginNote(0x4649_4C45, size: size)
      let url = folder.url.appending(path: "notes.core")
      try core.write(to: url, copies: 20_000, hole: size)
      let start = ContinuousClock.now
      let run = try ProgramRun.run([Products.crashsym, url.path])
      #expect(run.end == .exited(0), "\(run.standardError)")
      // It took ten minutes.
      #expect(ContinuousClock.now - start < .seconds(30))
    }
  }
}

private func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { [UInt8]($0) }
}
