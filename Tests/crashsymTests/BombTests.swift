import Foundation
import Testing

/// Files that are small and claim to be, or are, enormous once they are decompressed or decoded.
@Suite(.timeLimit(.minutes(30))) struct BombTests {
  private let scratch: Scratch
  private let program: String
  private let address: String

  init() throws {
    scratch = try Scratch()
    let source = "int inner(int a) { return a * 3; }\nint main(int count, char **words) { return inner(count); }\n"
    program = scratch.path("program")
    let file = try scratch.write(source, to: "program.c")
    let built = try Command.run("gcc", ["-g", "-Wl,--build-id", file, "-o", program])
    try #require(built.status == 0, "\(built.errors)")
    address = try #require(
      try Command.run("nm", [program]).output.split(separator: "\n").first { $0.hasSuffix(" inner") }.map {
        String($0.prefix(16))
      })
  }

  /// Looks the function up with so many KiB of address space: enough for a Swift process, not for what the file claims.
  private func lookup(_ kind: String, space: Int) throws -> Command.Result {
    let file = scratch.path("bomb")
    let made = try Command.run("python3", [Command.fixture("Helpers/bombs.py"), program, file, kind])
    try #require(made.status == 0, "\(made.errors)")
    return try Command.run(
      "sh", ["-c", "ulimit -v \(space); exec \"$@\"", "sh", Command.crashsym, "lookup", file, address])
  }

  @Test(arguments: [
    ("zlib", ".debug_info", 512), ("zlib in lines", ".debug_line", 512), ("zlib's claim", ".debug_info", 1 << 40),
    ("zstd", ".debug_info", 512), ("xz", ".gnu_debugdata", 512),
  ])
  func isNotDecompressed(_ kind: String, _ section: String, _ size: Int) throws {
    let start = ContinuousClock.now
    let result = try lookup(kind, space: 4 << 20)
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(result.status == 0)
    let what = "bomb (its \(section) claims to be \(size) MiB when decompressed and is not read)\n"
    #expect(result.errors.contains(what), "\(result.errors)")
    #expect(result.errors.components(separatedBy: " claims to be ").count == 2)
    // The symbol table, where there is one, still counts.
    #expect(result.output == (kind == "xz" ? "0x\(shortAddress): ?? ??:0\n" : "0x\(shortAddress): inner at ??:0\n"))
  }

  private var shortAddress: String { String(address.drop { $0 == "0" }) }

  /// 60 million rows of 16 bytes would take a gibibyte; such a table is read in part.
  @Test func lineTableOfManyRows() throws {
    let result = try lookup("rows", space: 1 << 20)
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("0x\(shortAddress): inner "))
  }
}
