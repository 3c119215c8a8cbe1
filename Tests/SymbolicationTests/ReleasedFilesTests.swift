import Foundation
import Testing

@testable import Symbolication

/// A program that looks addresses up for days has but the latest files open.
@Suite struct ReleasedFilesTests {
  @Test func filesAreClosedWithTheirImages() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("released-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Fixture.c.build(in: folder)
    let index = IndexOptions(directory: folder.appendingPathComponent("index").path)
    // Without an index, as one is made, and from it.
    for options in [SymbolicationOptions(), SymbolicationOptions(index: index), SymbolicationOptions(index: index)] {
      try Self.lookUp(program, options)
      #expect(try !Self.mappings().contains(folder.path))
    }
  }

  private static func lookUp(_ program: String, _ options: SymbolicationOptions) throws {
    let symbolicator = Symbolicator(options: options)
    let addresses = try CodeAddresses.sample(of: program, count: 20).map { ($0, AddressKind.programCounter) }
    let image = ImageReference(name: "program", path: program, baseAddress: 0)
    #expect(symbolicator.symbolicate(addresses, in: image).lookups.contains { !$0.calls.isEmpty })
    symbolicator.saveIndex()
    #expect(try mappings().contains(program))
  }

  /// Foundation's reading of a whole file ends at the first short answer, which the kernel gives for each page of it.
  private static func mappings() throws -> String {
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps"))
    var bytes = Data()
    while let next = try file.read(upToCount: 4096), !next.isEmpty { bytes += next }
    return String(decoding: bytes, as: UTF8.self)
  }
}
