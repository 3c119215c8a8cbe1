import CrashReportModel
import Foundation
import Testing

/// Core files as systemd-coredump keeps them: compressed with zstd, and on older distributions with xz or lz4.
@Suite struct CompressedCoreTests {
  private struct Compression: CustomTestStringConvertible {
    let name: String
    let command: [String]

    init(_ name: String, _ options: String...) {
      self.name = name
      command = [name, "-q"] + options
    }

    var testDescription: String { command.joined(separator: " ") }
  }

  private static let kinds = [
    Compression("zstd"), Compression("xz"), Compression("xz", "-9e"), Compression("xz", "--check=none"),
    Compression("lz4"), Compression("lz4", "-9"),
  ]
  private static let one = [Compression("zstd"), Compression("xz"), Compression("lz4")]

  private let scratch: Scratch
  private let core: String

  init() throws {
    scratch = try Scratch()
    core = scratch.path("plain.core")
    let made = try Command.run("zstd", ["-qd", Command.fixture("Aarch64/Cores") + "/threads.core.zst", "-o", core])
    try #require(made.status == 0, "\(made.errors)")
  }

  private func packed(_ kind: Compression, _ source: String? = nil) throws -> Data {
    let place = scratch.path("\(UUID()).packed")
    let script = "\"$@\" -c <\"$0\" >\(place)"
    let result = try Command.run("sh", ["-c", script, source ?? core] + kind.command)
    try #require(result.status == 0, "\(result.errors)")
    return try Data(contentsOf: URL(filePath: place))
  }

  /// Shows the report of a core that these bytes are; what the host of the test may add is the same in all.
  private func shown(_ bytes: Data, _ folder: String = "packed") throws -> Command.Result {
    let file = scratch.path("\(folder)/core.victim")
    try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
    try bytes.write(to: URL(filePath: file))
    let moment = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_795_000_000)]
    try FileManager.default.setAttributes(moment, ofItemAtPath: file)
    return try Command.crashsym("--format", "json", file)
  }

  private func report(_ result: Command.Result) throws -> CrashReport {
    try #require(result.status == 0, "\(result)")
    return CrashReport(fields: try JSONParser.parse(Array(result.output.utf8)).object)
  }

  @Test(arguments: kinds) private func aCompressedCoreIsReadAsAPlainOne(_ kind: Compression) throws {
    let plain = try shown(Data(contentsOf: URL(filePath: core)))
    try #require(plain.status == 0 && plain.output.contains("SIGSEGV"), "\(plain)")
    let compressed = try shown(packed(kind))
    #expect(compressed.status == 0 && compressed.errors == "")
    #expect(compressed.output == plain.output)
  }

  /// What `cat` joins, the commands that decompress take for one file.
  @Test(arguments: one) private func severalStreamsAreOneFile(_ kind: Compression) throws {
    let whole = try Data(contentsOf: URL(filePath: core))
    var joined = Data()
    for (index, half) in [whole.prefix(30_001), whole.dropFirst(30_001)].enumerated() {
      let path = scratch.path("half\(index)")
      try Data(half).write(to: URL(filePath: path))
      joined += try packed(kind, path)
    }
    #expect(try shown(joined).output == shown(whole).output)
  }

  @Test(arguments: one) private func aCompressedCoreIsFoundInAFolder(_ kind: Compression) throws {
    _ = try shown(packed(kind), "crashes")
    let grouped = try Command.crashsym("group", scratch.path("crashes"))
    #expect(grouped.status == 0 && grouped.output.hasSuffix("\n1 report in 1 group\n"), "\(grouped)")
  }

  /// Wherever it is cut, it is read as far as it goes, or one line says why it is not.
  @Test(arguments: one) private func aCutCoreIsReadUpToTheCut(_ kind: Compression) throws {
    let bytes = try packed(kind)
    for place in [1, 100, bytes.count / 2, bytes.count - 9, bytes.count - 1] {
      let result = try shown(bytes.prefix(place))
      if result.status == 0 {
        let reasons = try report(result).capture?.cutShort ?? []
        let isSaid = reasons.contains { $0.reason?.contains("its compressed data ends after") == true }
        #expect(isSaid, "\(place): \(reasons)")
      } else {
        #expect(result.status == 65, "\(place): \(result)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      }
    }
    let cut = try shown(bytes.prefix(20))
    #expect(cut.errors.contains("compressed with \(kind.name), but its compressed data ends too early"), "\(cut)")
  }

  /// A bit that is wrong ends no run, and is not passed over in silence if the compression has a checksum.
  @Test(arguments: one) private func wrongBitsAreDamage(_ kind: Compression) throws {
    let bytes = try packed(kind)
    let plain = try report(shown(bytes))
    var places = Array(stride(from: 4, to: bytes.count, by: max(bytes.count / 5, 1)))
    places.append(bytes.count - 1)
    for place in places {
      var wrong = bytes
      wrong[place] ^= 1 << UInt8(place % 8)
      let result = try shown(wrong)
      #expect(result.status == 0 || result.status == 65, "\(place): \(result)")
      guard result.status == 0 else { continue }
      let report = try report(result)
      #expect(report.threads == plain.threads || report.capture?.cutShort != plain.capture?.cutShort, "\(place)")
    }
  }

  @Test func aCoreThatNeedsTooMuchMemoryIsRefused() throws {
    let result = try shown(packed(Compression("xz", "--lzma2=dict=1GiB", "-M", "100GiB")))
    #expect(result.status == 65)
    #expect(result.errors.contains("compressed with xz, but its compressed data takes more than 256 MiB of memory"))
  }

  /// Holes that are padding of xz, and frames of zstd and lz4 to pass over: a GiB of each on some KiB of the disk.
  @Test(arguments: [("xz", Int?.none), ("zstd", 0x184d_2a50), ("lz4", 0x184d_2a50)], [true, false])
  private func noHolesAreRead(_ kind: (name: String, frame: Int?), isEmpty: Bool) throws {
    let compression = Compression(kind.name)
    let bytes = isEmpty ? try packed(compression, scratch.write("", to: "empty")) : try packed(compression)
    let path = scratch.path("core")
    try bytes.write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seekToEnd()
    if let frame = kind.frame {
      let head = [UInt32(frame), 0xffff_fff0]
      try file.write(contentsOf: head.withUnsafeBytes { Data($0) })
    }
    try file.truncate(atOffset: 1 << 30)
    try file.close()
    let result = try Command.crashsym("--format", "json", path)
    if isEmpty {
      #expect(result.status == 65, "\(result)")
      #expect(
        result.errors.contains("its compressed data is more than twice as large as the decompressed data"), "\(result)")
    } else {
      let reasons = try report(result).capture?.cutShort ?? []
      #expect(reasons.contains { $0.reason?.contains("is more than twice as large") == true }, "\(reasons)")
    }
  }

  @Test(arguments: one) private func filesThatAreNotCoresAreNamed(_ kind: Compression) throws {
    let path = try scratch.write("a log\n", to: "log.txt")
    let result = try shown(packed(kind, path))
    #expect(result.status == 65)
    let command = "decompress it first: \(kind.name) -dk"
    #expect(
      result.errors.contains("compressed with \(kind.name), but crashsym decompresses only core files; \(command)"),
      "\(result)")
  }

  /// The marks of the formats and nothing that follows: a folder's list names such a file too.
  @Test(arguments: [
    ("zstd", [0x28, 0xb5, 0x2f, 0xfd]), ("xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]),
    ("lz4", [0x04, 0x22, 0x4d, 0x18]),
  ])
  func damageIsNamed(_ name: String, _ mark: [UInt8]) throws {
    let result = try shown(Data(mark + Array(repeating: 0xff, count: 200)))
    #expect(result.status == 65)
    #expect(result.errors.contains("compressed with \(name), but its compressed data is damaged"), "\(result)")
    let grouped = try Command.crashsym("group", scratch.path("packed"))
    #expect(grouped.status == 65 && grouped.errors.contains("compressed with \(name)"), "\(grouped)")
  }
}
