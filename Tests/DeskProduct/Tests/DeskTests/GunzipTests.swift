import Foundation
import Testing

@testable import DeskServer

/// What `gzip` writes of these bytes.
func gzipped(_ bytes: [UInt8], _ level: String = "-6") throws -> [UInt8] {
  let folder = TemporaryFolder()
  try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
  let file = URL(fileURLWithPath: folder.path + "/input")
  try Data(bytes).write(to: file)
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["gzip", level, file.path]
  try process.run()
  process.waitUntilExit()
  return Array(try Data(contentsOf: file.appendingPathExtension("gz")))
}

struct GunzipTests {
  /// Stored, fixed and dynamic blocks, copies over short and long distances.
  private static let inputs: [[UInt8]] = [
    [], Array("a".utf8), Array("crash crash crash\n".utf8), [UInt8](repeating: 0, count: 90_000),
    (0..<66_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) },
    (0..<40_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) },
    Array((0..<600).map { "frame \($0 % 97) at 0x\(String($0 &* 7919, radix: 16))\n" }.joined().utf8),
  ]

  @Test(arguments: ["-1", "-6", "-9"])
  func unpacksTheOutputOfGzip(level: String) throws {
    for input in Self.inputs {
      #expect(try Gunzip.unpack(gzipped(input, level), limit: 400_000) == input)
    }
  }

  @Test func stopsAtTheLimit() throws {
    let packed = try gzipped([UInt8](repeating: 0x41, count: 1_000_000), "-9")
    #expect(packed.count < 2_000)
    #expect(throws: GunzipFailure.tooLarge) { try Gunzip.unpack(packed, limit: 999_999) }
    #expect(try Gunzip.unpack(packed, limit: 1_000_000).count == 1_000_000)
  }

  @Test func refusesDamagedData() throws {
    let packed = try gzipped(Self.inputs[6])
    let whole = try Gunzip.unpack(packed, limit: 1_000_000)
    for length in stride(from: 0, to: packed.count, by: 37) {
      #expect(throws: GunzipFailure.damaged) { try Gunzip.unpack(Array(packed[..<length]), limit: 1_000_000) }
    }
    // A byte that is wrong is found by the checksum at the latest, unless it is of the header's time or system.
    for index in stride(from: 10, to: packed.count, by: 23) {
      var wrong = packed
      wrong[index] ^= 0x40
      #expect((try? Gunzip.unpack(wrong, limit: 1_000_000)) == nil || index < 16)
    }
    #expect(try Gunzip.unpack(packed + packed, limit: 1_000_000) == whole + whole)
    #expect(throws: GunzipFailure.tooLarge) { try Gunzip.unpack(packed + packed, limit: whole.count) }
    #expect(throws: GunzipFailure.damaged) { try Gunzip.unpack(packed + [0], limit: 1_000_000) }
    #expect(whole == Self.inputs[6])
  }
}
