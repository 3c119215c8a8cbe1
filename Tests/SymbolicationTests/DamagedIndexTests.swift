import Foundation
import Testing

@testable import Symbolication

/// Indexes that are not as they were written, and folders that are not as they should be.
@Suite struct DamagedIndexTests {
  private func withIndex(_ body: (IndexedProgram, URL, [UInt8]) throws -> Void) throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(.cxx, in: folder)
      _ = try program.lookUp()
      let file = try program.file
      try body(program, file, Array(Data(contentsOf: file)))
    }
  }

  /// What stands in the place of the index changes no answer, and is replaced by a right one.
  private func expectRepair(_ bytes: [UInt8], _ program: IndexedProgram, _ file: URL, _ what: String) throws {
    try Data(bytes).write(to: file)
    #expect(try program.lookUp() == program.answers.lookups, "\(what)")
    #expect(try program.unitsDecoded() == 0, "\(what)")
  }

  @Test func flippedBits() throws {
    try withIndex { program, file, bytes in
      for place in stride(from: 0, to: bytes.count, by: max(bytes.count / 60, 1)) {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(place % 8)
        try expectRepair(damaged, program, file, "byte \(place) of \(bytes.count)")
      }
    }
  }

  /// One after the other: the index that was made anew is damaged next.
  @Test(arguments: Fixture.all.filter(\.hasBuildID)) func flippedBytes(_ fixture: Fixture) throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(fixture, in: folder)
      _ = try program.lookUp()
      var random = Random(seed: 2_000)
      for _ in 0..<60 {
        var bytes = try Array(Data(contentsOf: program.file))
        let place = random.next(below: bytes.count)
        bytes[place] ^= UInt8(1 + random.next(below: 255))
        try expectRepair(bytes, program, try program.file, "byte \(place) of \(bytes.count)")
      }
    }
  }

  @Test func cutOrGrown() throws {
    try withIndex { program, file, bytes in
      for size in [0, 1, 7, 100, IndexFormat.headerSize, bytes.count / 2, bytes.count - 1] {
        try expectRepair(Array(bytes.prefix(size)), program, file, "\(size) bytes")
      }
      try expectRepair(bytes + [0], program, file, "a byte more")
    }
  }

  @Test func anotherVersion() throws {
    try withIndex { program, file, bytes in
      var other = bytes
      other[8] += 1
      Self.mend(&other)
      try expectRepair(other, program, file, "version")
    }
  }

  @Test func anotherBuild() throws {
    try withIndex { program, file, bytes in
      try Tool.withFolder { folder in
        let other = try IndexedProgram(.c, in: folder)
        _ = try other.lookUp()
        try expectRepair(Array(Data(contentsOf: other.file)), program, file, "another build")
      }
    }
  }

  /// With checksums that are right, wrong answers cannot be told; but nothing may trap, hang or grow.
  @Test func damageWithRightChecksums() throws {
    try withIndex { program, file, bytes in
      var state: UInt64 = 88_172_645_463_325_252
      // The units' code, which is read number by number, every second time.
      let code = Self.number(32, in: bytes) + Self.number(88, in: bytes)..<bytes.count
      for turn in 0..<100 {
        let places = turn % 2 == 0 ? 24..<bytes.count : code.prefix(Self.number(96, in: bytes))
        var damaged = bytes
        for _ in 0..<4 {
          state ^= state << 13
          state ^= state >> 7
          state ^= state << 17
          damaged[places.lowerBound + Int(state >> 8) % places.count] = UInt8(truncatingIfNeeded: state)
        }
        Self.mend(&damaged)
        try Data(damaged).write(to: file)
        let symbolicator = Symbolicator(options: program.options)
        let lookups = symbolicator.symbolicate(
          program.addresses.map { ($0, .programCounter) }, in: try program.image
        ).lookups
        symbolicator.saveIndex()
        #expect(lookups.count == program.addresses.count)
      }
    }
  }

  /// With right checksums the numbers that lead somewhere are looked at all the same, on the edge above all.
  @Test(arguments: [(0, true), (1, true), (2, false), (127, false)])
  func numberOfANodesName(_ name: UInt8, _ isThere: Bool) throws {
    // Two names, no files, no lines; a function without code or declaration; no leaves, sequences and symbols.
    let code: [UInt8] = [2, 1, 2, 0, 0, 1, 0, name, 0, 0, 0, 0]
    try code.withUnsafeBytes { bytes in
      var decoder = try #require(UnitDecoder(Bytes(bytes.baseAddress, count: bytes.count), base: 0))
      #expect(decoder.read() == isThere)
    }
  }

  /// The same of a symbol's name, a node's file and a leaf's node.
  @Test(
    arguments: [
      ([1, 1, 0, 0, 0, 0, 0, 1, 0, 4, 0, 0], true), ([1, 1, 0, 0, 0, 0, 0, 1, 0, 4, 0, 1], false),
      ([1, 1, 1, 7, 0, 1, 0, 0, 4, 1, 5, 0, 0, 0], true), ([1, 1, 1, 7, 0, 1, 0, 0, 4, 2, 5, 0, 0, 0], false),
      ([1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 4, 0, 0, 0], true), ([1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 4, 2, 0, 0], false),
    ] as [([UInt8], Bool)])
  func otherNumbers(_ code: [UInt8], _ isThere: Bool) throws {
    try code.withUnsafeBytes { bytes in
      var decoder = try #require(UnitDecoder(Bytes(bytes.baseAddress, count: bytes.count), base: 0))
      #expect(decoder.read() == isThere)
    }
  }

  /// Four bytes of the header.
  private static func number(_ place: Int, in bytes: [UInt8]) -> Int {
    bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Makes the checksums right again.
  private static func mend(_ bytes: inout [UInt8]) {
    func checksum(_ range: Range<Int>, _ seed: UInt64) -> [UInt8] {
      let value = bytes[range].withUnsafeBytes { Checksum.of(Bytes($0.baseAddress, count: $0.count), seed: seed) }
      return withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    let dataStart = number(32, in: bytes)
    let table = IndexFormat.headerSize + number(48, in: bytes)
    guard dataStart <= bytes.count, table < dataStart else { return }
    for (block, start) in stride(from: dataStart, to: bytes.count, by: IndexFormat.blockSize).enumerated()
    where table + 8 * block + 8 <= dataStart {
      let end = min(start + IndexFormat.blockSize, bytes.count)
      bytes.replaceSubrange(table + 8 * block..<table + 8 * block + 8, with: checksum(start..<end, UInt64(block)))
    }
    bytes.replaceSubrange(16..<24, with: checksum(24..<dataStart, 0))
  }

  @Test(arguments: ["link", "open to others", "file", "below a file", "link in place of the index"])
  func folderThatIsNotOurs(_ kind: String) throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(.c, in: folder)
      let files = FileManager.default
      let place = program.folder.path
      let elsewhere = folder.appendingPathComponent("elsewhere").path
      try files.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
      try files.createDirectory(
        at: program.folder.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      switch kind {
      case "link": try files.createSymbolicLink(atPath: place, withDestinationPath: elsewhere)
      case "open to others":
        try files.createDirectory(atPath: place, withIntermediateDirectories: false)
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: place)
      case "file": try Data("mine".utf8).write(to: program.folder)
      case "below a file":
        try files.removeItem(at: program.folder.deletingLastPathComponent())
        try Data("mine".utf8).write(to: program.folder.deletingLastPathComponent())
      default:
        // It is replaced; what it leads to is neither read nor written.
        _ = try program.lookUp()
        let name = try program.file.path
        try files.moveItem(atPath: name, toPath: elsewhere + "/index")
        try files.createSymbolicLink(atPath: name, withDestinationPath: elsewhere + "/index")
        #expect(try program.unitsDecoded() == nil)
      }
      #expect(try program.lookUp() == program.answers.lookups)
      if kind == "link in place of the index" {
        #expect(try program.unitsDecoded() == 0)
      } else {
        #expect(try files.contentsOfDirectory(atPath: elsewhere).isEmpty)
        #expect(try program.unitsDecoded() == nil)
      }
    }
  }
}
