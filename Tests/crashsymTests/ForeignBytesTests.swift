import Foundation
import LinuxCalls
import Testing

/// Names and arguments that are bytes and no UTF-8.
@Suite(.timeLimit(.minutes(30))) struct ForeignBytesTests {
  private let scratch = try! Scratch()

  private static let spellings: [[UInt8]] = [
    Array(1...255), [0xF4, 0x8F, 0xBE, 0x80, 0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x8F, 0xBE], [0xC3, 0xC3, 0xA4],
    [0xED, 0xA0, 0x80], Array("é€😀".utf8), [],
  ]

  @Test(arguments: spellings)
  func bytesComeBack(_ bytes: [UInt8]) {
    #expect(String(systemBytes: bytes).systemBytes == bytes)
  }

  @Test func randomBytesComeBack() {
    let alphabet: [UInt8] = [0xF4, 0x8F, 0xBE, 0xBF, 0x80, 0xC3, 0xE2, 0x41, 0xFF]
    for _ in 0..<10_000 {
      let bytes = (0..<Int.random(in: 0...9)).map { _ in alphabet.randomElement()! }
      #expect(String(systemBytes: bytes).systemBytes == bytes)
    }
  }

  @Test func textStaysAsItIs() {
    #expect(String(systemBytes: "é€😀".utf8) == "é€😀")
    #expect(String(systemBytes: [0x61, 0xFF]).withoutForeignBytes == "a\u{FFFD}")
  }

  /// The file is there under a name that the shell alone can spell: `$N` stands for it.
  private func crashsym(_ arguments: String, file: String) throws -> Command.Result {
    let script = """
      N='\(scratch.folder.path())'/$(printf 'folder \\377'); F="$N/$(printf 'file \\376.json')"; mkdir -p "$N"
      cp '\(file)' "$F"; exec '\(Command.crashsym)' \(arguments)
      """
    return try Command.run("sh", ["-c", script], environment: ["LC_ALL": "C"])
  }

  private static let report = Command.fixture("CrashReportViewTests/Fixtures/full.json")

  @Test(arguments: [
    #""$F""#, #"show --format json "$F""#, #"group "$N""#, #"group --format json "$N""#, #"group "$F""#,
    #"stream --symbols "$N" < "$F""#, #"--source "$N" "$F""#, #"--symbols "$N" "$F""#,
  ])
  func reportsAreRead(_ arguments: String) throws {
    let result = try crashsym(arguments, file: Self.report)
    #expect(result.status == 0, Comment(rawValue: result.errors))
    #expect(!result.output.isEmpty)
    #expect(!result.output.unicodeScalars.contains { $0.value >= 0x10FF80 })
  }

  @Test(arguments: [
    #"lookup "$F" 0x1000"#, #"lookup --format json "$F" 0x1000"#, #"symbols add "$F" --to "$N/store""#, #"doctor "$F""#,
    #"doctor --format json "$F""#,
  ])
  func programsAreRead(_ arguments: String) throws {
    let program = try scratch.compile("int main(void) { return 0; }", to: "program", "-g", "-Wl,--build-id")
    let result = try crashsym(arguments, file: program)
    #expect(result.status == (arguments.contains("doctor") ? result.status & 1 : 0), Comment(rawValue: result.errors))
    #expect(!result.output.isEmpty)
    #expect(!result.output.unicodeScalars.contains { $0.value >= 0x10FF80 })
  }

  @Test func aMissingFileIsNamedHarmlessly() throws {
    let result = try crashsym(#""$N/$(printf 'none \375')""#, file: Self.report)
    #expect(result.status == 66)
    #expect(result.errors == "crashsym: no such file: \(scratch.folder.path())/folder ?/none ?\n")
  }

  /// A file that calls the C function takes the characters that stand for bytes as they are.
  @Test func filesThatTakePathsImportLinux() throws {
    let sources = Command.tests.deletingLastPathComponent().appending(path: "Sources")
    let call = try Regex(
      #"(^|[^.\w])(Glibc\.)?(open|openat|stat|lstat|fstatat|statvfs|access|opendir|mkdir|mkdirat|unlink|unlinkat|rmdir"#
        + #"|rename|renameat|getxattr|inotify_add_watch|linux_open_place|linux_rename_new)\([^)]*[a-z"]"#)
    // Names from the kernel, in ASCII; paths that Foundation or SQLite opens too; functions of their own with such a name.
    let exceptions = [
      "Ground/LinuxCalls/", "Watcher/", "Demo/Workloads/", "ThreadGuard/", "Demo/WatchView/",
      "Locks/ThreadGuardTesting/", "Metrics/WatcherJournal/", "CrashKit/Hangs/HangSubject.swift",
      "Reports/PreviousRuns/SpareFiles.swift", "Symbols/Symbolication/Files/DebugFileSearch.swift",
    ]
    var count = 0
    for case let path as String in try #require(FileManager.default.enumerator(atPath: sources.path())) {
      guard path.hasSuffix(".swift"), !exceptions.contains(where: path.hasPrefix) else { continue }
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      let lines = text.split(separator: "\n").filter { !$0.contains("//") && !$0.contains("func ") }
      guard lines.contains(where: { $0.contains(call) }) else { continue }
      count += 1
      #expect(lines.contains { $0.trimmingCharacters(in: .whitespaces) == "import LinuxCalls" }, "\(path)")
    }
    #expect(count > 20)
  }
}
