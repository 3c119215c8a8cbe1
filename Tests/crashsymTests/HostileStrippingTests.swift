import Foundation
import Testing

/// `crashsym symbols add` over programs whose headers were written to do harm, and over files that are mostly holes.
@Suite(.timeLimit(.minutes(30))) struct HostileStrippingTests {
  private let scratch: Scratch
  private let program: String

  init() throws {
    scratch = try Scratch()
    program = try scratch.compile(
      "static int zeros[9]; int main(void) { return zeros[3]; }", to: "program", "-g",
      "-Wl,--build-id")
  }

  private func add(_ options: String..., limit: Int = 1 << 20) throws -> Command.Result {
    // With a limit on the size of files, so that one without end would be seen.
    try Command.run(
      "sh",
      ["-c", "ulimit -f \(limit / 512); exec \"$@\"", "sh", Command.crashsym, "symbols", "add"] + options + [
        "--to", scratch.path("store"), program,
      ])
  }

  private func sectionHeader(of section: String, in bytes: Data) throws -> Int {
    func number(_ place: Int, _ size: Int) -> Int {
      bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let table = number(0x28, 8)
    let names = number(table + 64 * number(0x3e, 2) + 24, 8)
    return try #require(
      (0..<number(0x3c, 2)).map { table + 64 * $0 }.first { header in
        bytes[(names + number(header, 4))...].prefix { $0 != 0 }.elementsEqual(section.utf8)
      })
  }

  /// Changes a field of a section's header: the offset is at 24, the alignment at 48.
  private func set(_ field: Int, of section: String, to value: UInt64) throws {
    var bytes = try Data(contentsOf: URL(filePath: program))
    let header = try sectionHeader(of: section, in: bytes)
    withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(header + field..<header + field + 8, with: $0) }
    try bytes.write(to: URL(filePath: program))
    #expect(chmod(program, 0o755) == 0)
  }

  @Test(arguments: [UInt64.max, 1 << 63, 1 << 40]) func zeroedSectionBeyondTheFile(_ offset: UInt64) throws {
    try set(24, of: ".bss", to: offset)
    let result = try add("--strip")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(try Command.run(program).status == 0)
  }

  /// Types from 0x80000000 on are for applications to use.
  @Test(arguments: [0x8000_0001, 0xffff_ffff] as [UInt64]) func sectionOfAnApplicationsType(_ type: UInt64) throws {
    var bytes = try Data(contentsOf: URL(filePath: program))
    let flags = try sectionHeader(of: ".comment", in: bytes) + 4
    withUnsafeBytes(of: UInt32(type).littleEndian) { bytes.replaceSubrange(flags..<flags + 4, with: $0) }
    try bytes.write(to: URL(filePath: program))
    #expect(chmod(program, 0o755) == 0)
    let result = try add("--strip")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(try Command.run(program).status == 0)
  }

  /// A file that names itself as what dwz shared out.
  @Test func fileThatSharesWithItself() throws {
    let notes = try Command.run("readelf", ["-n", program]).output
    let id = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)?.1)
    var link = Array("program\0".utf8)
    for place in stride(from: 0, to: id.count, by: 2) {
      link.append(try #require(UInt8(id.dropFirst(place).prefix(2), radix: 16)))
    }
    try Data(link).write(to: URL(filePath: scratch.path("link")))
    let change = try Command.run(
      "objcopy", ["--add-section", ".gnu_debugaltlink=\(scratch.path("link"))", program])
    try #require(change.status == 0, "\(change.errors)")
    let result = try add()
    #expect(
      result.status == 65
        && result.errors.contains("names itself as its debug file, directly or through other files"))
  }

  /// Debug information of a private program stays private.
  @Test(arguments: [(0o700, 0o600), (0o755, 0o644), (0o750, 0o600)])
  func theCopyIsAsPrivateAsTheFile(_ mode: Int, _ expected: Int) throws {
    #expect(chmod(program, mode_t(mode)) == 0)
    #expect(try add().status == 0)
    let store = try #require(FileManager.default.enumerator(atPath: scratch.path("store")))
    let copies = store.compactMap { $0 as? String }.filter { $0.hasSuffix(".debug") }
    #expect(copies.count == 1)
    for copy in copies {
      let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("store/\(copy)"))
      #expect((attributes[.posixPermissions] as? Int) == expected)
    }
  }

  @Test(arguments: [".debug_info", ".comment", ".symtab"], [UInt64.max, 1 << 63, 1 << 34])
  func invalidAlignment(_ section: String, _ alignment: UInt64) throws {
    try set(48, of: section, to: alignment)
    #expect(try add().status == 0)
    #expect(try add("--strip").status == 0)
    #expect(try Command.run(program).status == 0)
  }

  @Test(arguments: [65_000, 65_278, 65_535]) func manySections(_ count: Int) throws {
    var bytes = try Data(contentsOf: URL(filePath: program))
    let place = bytes[0x28..<0x30].reversed().reduce(0) { $0 << 8 | Int($1) }
    let table = bytes[place..<place + 64 * (Int(bytes[0x3c]) | Int(bytes[0x3d]) << 8)]
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { bytes.replaceSubrange(0x28..<0x30, with: $0) }
    withUnsafeBytes(of: UInt16(count).littleEndian) { bytes.replaceSubrange(0x3c..<0x3e, with: $0) }
    bytes += table + Data(count: 64 * count - table.count)
    try bytes.write(to: URL(filePath: program))
    let start = ContinuousClock.now
    let result = try add("--strip", limit: 64 << 20)
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(result.status == (count == 65_000 ? 0 : 65))
    #expect(result.errors.split(separator: "\n").count == (count == 65_000 ? 0 : 1))
  }

  @Test func limitOnTheSizeOfFiles() throws {
    let before = try Data(contentsOf: URL(filePath: program))
    let result = try add("--strip", limit: 1024)
    #expect(result.status == 74)
    #expect(result.errors.hasPrefix("crashsym: cannot write: File too large: "))
    #expect(try Data(contentsOf: URL(filePath: program)) == before)
  }

  /// More than there is memory, and next to nothing in it.
  @Test(arguments: [1 << 32, 1 << 42]) func fileOfHoles(_ size: Int) throws {
    #expect(truncate(program, size) == 0)
    let start = ContinuousClock.now
    // Beyond what can be mapped it is refused.
    #expect(try add().status == (size == 1 << 32 ? 0 : 65))
    let result = try add("--strip")
    #expect(result.status == 65)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(ContinuousClock.now - start < .seconds(10))
  }
}
