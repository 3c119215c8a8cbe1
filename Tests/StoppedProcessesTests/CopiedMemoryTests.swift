import Testing

@testable import CoreFiles

/// Copied memory reads as the process had it, however it was cut into pieces.
@Suite struct CopiedMemoryTests {
  private static let start: UInt64 = 0x10_0000

  /// The byte that the imagined process has at an address: neighbours differ.
  private func byte(at address: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: address &* 37) }

  /// A mapping of 64 KiB, of which these pieces were copied: distances from its start.
  private func memory(_ pieces: [Range<UInt64>]) throws -> CoreMemory {
    let copy = try #require(MemoryCopy(capacity: 1 << 20))
    for piece in pieces {
      let added = copy.add(Self.start + piece.lowerBound, piece.count) { room in
        for i in 0..<piece.count {
          room.storeBytes(of: byte(at: Self.start + piece.lowerBound + UInt64(i)), toByteOffset: i, as: UInt8.self)
        }
        return piece.count
      }
      try #require(added == piece.count)
    }
    let mapping = ProcessCopy.Mapping(
      start: Self.start, end: Self.start + 65536, fileOffset: 0, isWritable: true, isExecutable: false, path: nil)
    let process = ProcessCopy(
      process: 1, name: "", time: 0, stopTime: 0, threads: [], unanswered: [], mappings: [mapping], auxiliary: [],
      codeMask: 0, memory: copy, cut: nil)
    return CoreMemory(process, .x86)
  }

  @Test(
    arguments: [
      [0..<4096, 4096..<8192], [4096..<8192, 0..<4096], [0..<100, 100..<101, 101..<8192],
      [0..<4096, 2048..<8192], [0..<8192, 1000..<2000], [0..<8192, 0..<4096],
    ] as [[Range<UInt64>]])
  func aReadOverSeveralPieces(_ pieces: [Range<UInt64>]) throws {
    let memory = try memory(pieces)
    for distance in [0, 90, 96, 99, 100, 996, 1999, 2044, 4088, 4089, 4092, 4095, 4096, 8184] as [UInt64] {
      let address = Self.start + distance
      let expected = (0..<8).map { byte(at: address + $0) }
      #expect(memory.read(address, 8) == expected, "\(distance)")
      #expect(memory.word(at: address) == memory.load(at: address), "\(distance)")
      #expect(memory.word(at: address) != nil, "\(distance)")
    }
    #expect(memory.read(Self.start, 1 << 20).count == 8192)
  }

  @Test func memoryThatWasNotCopiedHasNoValue() throws {
    let memory = try memory([0..<4096, 8192..<12288])
    #expect(memory.read(Self.start + 4090, 8192).count == 6)
    #expect(memory.word(at: Self.start + 4090) == nil)
    #expect(memory.read(Self.start + 4096, 8).isEmpty)
    #expect(memory.read(.max - 2, 8).isEmpty)
  }
}
