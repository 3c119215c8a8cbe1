import Foundation
import TestEnvironment
import Testing

/// A program of several functions with inlined calls, and what filing it led to.
struct FiledProgram {
  let scratch: Scratch
  let program: String
  /// As it was before it was stripped.
  let original: String
  /// The addresses of all its functions' instructions, and a few between.
  let addresses: [String]

  static let source = """
    #include <algorithm>
    #include <cstdio>
    #include <stdexcept>
    #include <string>
    #include <vector>
    struct Item { std::string name; int price; };
    static inline int tax(int price) { return price / 5; }
    static int total(const std::vector<Item> &items) {
      int sum = 0;
      for (const auto &item : items) sum += item.price + tax(item.price);
      if (sum < 0) throw std::runtime_error("negative");
      return sum;
    }
    int main(int count, char **words) {
      std::vector<Item> items;
      for (int i = 0; i < count + 5; i++) items.push_back({words[0], i * 7 % 5});
      std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) { return a.price < b.price; });
      try { items[0].price = -1000; total(items); } catch (const std::exception &error) { puts(error.what()); }
      std::printf("%d\\n", total({{"book", 10}}));
    }
    """

  init(_ scratch: Scratch, compiler: String = "g++", _ flags: [String] = []) throws {
    self.scratch = scratch
    program = scratch.path("program")
    original = scratch.path("original")
    let file = try scratch.write(Self.source, to: "program.cpp")
    let command = ["-O2", "-g", "-Wl,--build-id=sha1", file, "-o", program] + flags
    try #require(try Command.run(compiler, command).status == 0)
    // By another process: a child that is forked meanwhile would hold a file open that this one writes.
    try #require(try Command.run("cp", [program, original]).status == 0)
    addresses = try Self.addresses(of: original)
  }

  /// Every 16th byte of the code.
  static func addresses(of file: String) throws -> [String] {
    let sections = try Command.run("readelf", ["-SW", file]).output
    let text = try #require(sections.firstMatch(of: /\.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)/))
    let (start, size) = (try #require(UInt64(text.1, radix: 16)), try #require(UInt64(text.2, radix: 16)))
    return stride(from: start, to: start + min(size, 16_000), by: 16).map { String($0, radix: 16) }
  }

  func lookup(_ file: String, symbols: String? = nil) throws -> String {
    let options = symbols.map { ["--symbols", $0] } ?? []
    let result = try Command.run(
      Command.crashsym, ["lookup", file] + options, input: addresses.joined(separator: "\n"))
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }

  static func buildID(of file: String) throws -> String {
    String(try #require(try Command.run("readelf", ["-n", file]).output.firstMatch(of: /Build ID: ([0-9a-f]+)/)).1)
  }

  static func place(of id: String, in store: String) -> String {
    "\(store)/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
  }
}

/// `crashsym symbols add`: what is filed and what is left reads like the original.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SymbolsAddTests {
  private let scratch = try! Scratch()
  private var store: String { scratch.path("store") }

  private func add(_ arguments: String...) throws -> Command.Result {
    try Command.run(Command.crashsym, ["symbols", "add", "--to", store] + arguments)
  }

  private static func has(_ tool: String) -> Bool { (try? Command.run(tool, ["--version"]).status) == 0 }

  /// What a script does that runs twice.
  @Test func strippingTwiceIsNotAMistake() throws {
    let filed = try FiledProgram(scratch)
    try #require(try add("--strip", filed.program).status == 0)
    for options in [["--strip"], []] {
      let again = try Command.run(
        Command.crashsym, ["symbols", "add", "--to", store] + options + [filed.program])
      #expect(again.status == 0 && again.errors == "", "\(again)")
      #expect(again.output.hasPrefix("\(filed.program): stripped before; its debug file is \(store)/.build-id/"))
    }
    // Of another store nothing is known.
    let other = try Command.run(Command.crashsym, ["symbols", "add", "--to", scratch.path("other"), filed.program])
    #expect(other.status == 65 && other.errors.contains("no debug information and no symbols"), "\(other)")
  }

  @Test func aFolderOfStrippedFilesIsNamed() throws {
    let filed = try FiledProgram(scratch)
    try FileManager.default.createDirectory(atPath: scratch.path("bin"), withIntermediateDirectories: true)
    try #require(try Command.run("strip", ["-o", scratch.path("bin/api"), filed.program]).status == 0)
    let result = try add(scratch.path("bin"))
    #expect(result.status == 65 && result.output == "")
    #expect(
      result.errors == "crashsym: no file with debug information or symbols in: \(scratch.path("bin"))\n", "\(result)")
    // One that can be filed is enough.
    try #require(try Command.run("cp", [filed.original, scratch.path("bin/whole")]).status == 0)
    #expect(try add(scratch.path("bin")).status == 0)
  }

  private static let isFull = tests_are_full()
  private static let rarer = [
    ["-static"], ["-static-pie"], ["-no-pie"], ["-gdwarf-4"], ["-fuse-ld=gold"], ["-Wl,--emit-relocs"],
  ]

  @Test(arguments: [[], ["-gz=zlib"], ["-shared", "-fPIC"]] + (isFull ? rarer : []))
  func strippedPairReadsLikeTheOriginal(_ flags: [String]) throws {
    let filed = try FiledProgram(scratch, flags)
    let expected = try filed.lookup(filed.original)
    #expect(expected.contains("tax") && expected.contains("program.cpp:"))
    let result = try add("--strip", filed.program)
    #expect(result.status == 0, "\(result.errors)")
    let debugFile = FiledProgram.place(of: try FiledProgram.buildID(of: filed.original), in: store)
    #expect(result.output == "\(filed.program): stored as \(debugFile)\n\(filed.program): stripped\n")
    #expect(try Command.run("readelf", ["-SW", filed.program]).output.firstMatch(of: /\.symtab|\.debug_/) == nil)
    #expect(try filed.lookup(filed.program) != expected)
    #expect(try filed.lookup(filed.program, symbols: store) == expected)
    #expect(try filed.lookup(debugFile) == expected)
    try expectLoadsAlike(filed)
    if !flags.contains("-shared") {
      let before = try Command.run(filed.original)
      let after = try Command.run(filed.program)
      #expect(after.status == before.status && after.output == before.output)
    }
  }

  /// Every byte that a process maps is as it was, but for the numbers of sections in the header.
  private func expectLoadsAlike(_ filed: FiledProgram) throws {
    let (before, after) = (
      try Data(contentsOf: URL(filePath: filed.original)), try Data(contentsOf: URL(filePath: filed.program))
    )
    func segments(_ file: String) throws -> String {
      try Command.run("readelf", ["-lW", file]).output.components(separatedBy: "Section to Segment")[0]
    }
    #expect(try segments(filed.original).contains("LOAD"))
    let header = try Command.run("readelf", ["-lW", filed.original]).output
    let loads = header.matches(of: /LOAD +0x([0-9a-f]+) 0x[0-9a-f]+ 0x[0-9a-f]+ 0x([0-9a-f]+)/)
    try #require(loads.count > 1)
    for match in loads {
      let start = try #require(Int(match.1, radix: 16))
      let size = try #require(Int(match.2, radix: 16))
      let range = max(start, 64)..<max(start + size, 64)
      #expect(before[range] == after[range])
    }
    #expect(before[..<0x28] == after[..<0x28] && before[0x30..<0x3c] == after[0x30..<0x3c])
    #expect(after.count < before.count)
  }

  @Test(.enabled(if: has("objcopy"))) func sameAsObjcopysPair() throws {
    let filed = try FiledProgram(scratch)
    let (debug, stripped) = (scratch.path("objcopy.debug"), scratch.path("objcopy.stripped"))
    _ = try Command.run("objcopy", ["--only-keep-debug", filed.original, debug])
    _ = try Command.run("strip", ["-o", stripped, filed.original])
    _ = try add("--strip", filed.program)
    let ours = FiledProgram.place(of: try FiledProgram.buildID(of: filed.original), in: store)
    #expect(try filed.lookup(ours) == filed.lookup(debug))
    let size = { (path: String) in try Data(contentsOf: URL(filePath: path)).count }
    #expect(try abs(size(ours) - size(debug)) < 4_096)
    // A debug link is added.
    #expect(try abs(size(filed.program) - size(stripped)) < 4_096)
  }

  @Test(.enabled(if: has("eu-elflint"), "there is no eu-elflint here")) func elfutilsFindNoFaultInThePair() throws {
    let filed = try FiledProgram(scratch)
    _ = try add("--strip", filed.program)
    let debugFile = FiledProgram.place(of: try FiledProgram.buildID(of: filed.original), in: store)
    #expect(try Command.run("eu-elflint", ["--gnu-ld", filed.program]).output == "No errors\n")
    #expect(try Command.run("eu-elflint", ["--gnu-ld", "-d", debugFile]).output == "No errors\n")
  }

  @Test(.enabled(if: has("llvm-symbolizer"))) func llvmSymbolizerReadsThePair() throws {
    let filed = try FiledProgram(scratch)
    func symbolize(_ file: String, _ more: String...) throws -> [Substring] {
      let addresses = filed.addresses.map { "0x\($0)" }
      return try Command.run("llvm-symbolizer", ["-e", file] + more + addresses).output.split(separator: "\n")
    }
    func places(_ lines: [Substring]) -> [Substring] { lines.filter { $0.contains(".cpp:") || $0.contains(".h:") } }
    let expected = try symbolize(filed.original)
    #expect(places(expected).count > 20)
    _ = try add("--strip", filed.program)
    #expect(places(try symbolize(filed.program)).isEmpty)
    let found = try symbolize(filed.program, "--debug-file-directory=\(store)")
    #expect(places(found) == places(expected))
    // It takes some names from the program's own symbols, which are gone; so it does with the pair of objcopy and strip.
    let (stripped, tree) = (scratch.path("objcopy.stripped"), scratch.path("tree"))
    let debug = FiledProgram.place(of: try FiledProgram.buildID(of: filed.original), in: tree)
    let folder = URL(filePath: debug).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try Command.run("objcopy", ["--only-keep-debug", filed.original, debug])
    _ = try Command.run("strip", ["-o", stripped, filed.original])
    #expect(try found == symbolize(stripped, "--debug-file-directory=\(tree)"))
  }

  @Test(.enabled(if: has("gdb"))) func gdbReadsThePair() throws {
    let filed = try FiledProgram(scratch)
    func ask(_ file: String) throws -> String {
      let questions = filed.addresses.prefix(40).flatMap { ["-ex", "info line *0x\($0)"] }
      return try Command.run(
        "gdb", ["-nx", "-batch", "-iex", "set debug-file-directory \(store)"] + questions + [file]
      ).output
    }
    let expected = try ask(filed.original)
    #expect(expected.contains("program.cpp"))
    _ = try add("--strip", filed.program)
    #expect(try ask(filed.program) == expected)
    // The checksum in the link is right: gdb takes the file beside the program by its name alone.
    let debugFile = FiledProgram.place(of: try FiledProgram.buildID(of: filed.original), in: store)
    let name = URL(filePath: debugFile).lastPathComponent
    try FileManager.default.moveItem(atPath: debugFile, toPath: scratch.path(name))
    #expect(try ask(filed.program) == expected)
  }

  @Test func zstdSections() throws {
    let filed = try FiledProgram(scratch)
    let expected = try filed.lookup(filed.original)
    try #require(
      try Command.run("objcopy", ["--compress-debug-sections=zstd", filed.program]).status == 0)
    #expect(try add("--strip", filed.program).status == 0)
    #expect(try filed.lookup(filed.program, symbols: store) == expected)
  }

  @Test(.enabled(if: has("dwp"))) func packageOfSplitDWARF() throws {
    // Split DWARF 5 of GCC wants a newer dwp than Debian 12 has.
    let filed = try FiledProgram(scratch, compiler: "clang++", ["-gdwarf-4", "-gsplit-dwarf"])
    let refused = try add("--strip", filed.program)
    #expect(refused.status == 65)
    #expect(refused.errors.hasPrefix("crashsym: its debug information is in .dwo files: pack them first"))
    #expect(FileManager.default.contentsEqual(atPath: filed.program, andPath: filed.original))
    let expected = try filed.lookup(filed.original)
    let package = filed.program + ".dwp"
    try #require(
      try Command.run("dwp", ["-e", filed.program, "-o", package]).status == 0)
    #expect(try add("--strip", filed.program).status == 0)
    for file in try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path())
    where file.hasSuffix(".dwo") || file.hasSuffix(".dwp") {
      try FileManager.default.removeItem(atPath: scratch.path(file))
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: ".") where file.hasSuffix("program.dwo") {
      try FileManager.default.removeItem(atPath: file)
    }
    #expect(try filed.lookup(filed.original) != expected)
    #expect(try filed.lookup(filed.program, symbols: store) == expected)
    // The program as it was, with the package in the store alone.
    #expect(try filed.lookup(filed.original, symbols: store) == expected)
  }

  @Test(.enabled(if: has("dwz"))) func alternateFileOfDwz() throws {
    let filed = try FiledProgram(scratch)
    let expected = try filed.lookup(filed.original)
    let second = scratch.path("second")
    try FileManager.default.copyItem(atPath: filed.program, toPath: second)
    let common = scratch.path("common.debug")
    try #require(try Command.run("dwz", ["-m", common, filed.program, second]).status == 0)
    #expect(try add("--strip", filed.program).status == 0)
    try FileManager.default.removeItem(atPath: common)
    #expect(try filed.lookup(filed.program, symbols: store) == expected)
    let missing = try add(second)
    #expect(missing.status == 65)
    #expect(missing.errors.contains("shares debug information with other files (dwz)"))
  }

  @Test func separateDebugFilesStayByteForByte() throws {
    let filed = try FiledProgram(scratch)
    let debug = scratch.path("program.debug")
    _ = try Command.run("objcopy", ["--only-keep-debug", filed.program, debug])
    _ = try Command.run("strip", [filed.program])
    _ = try Command.run("objcopy", ["--add-gnu-debuglink=\(debug)", filed.program])
    let place = FiledProgram.place(of: try FiledProgram.buildID(of: filed.original), in: store)
    // By way of the stripped program that names it.
    let result = try add(filed.program)
    #expect(result.output == "\(debug): stored as \(place)\n", "\(result.errors)")
    #expect(FileManager.default.contentsEqual(atPath: debug, andPath: place))
    #expect(try add("--strip", debug).output == "\(debug): already there as \(place)\n")
    #expect(FileManager.default.contentsEqual(atPath: debug, andPath: place))
  }

  @Test func aRicherFileReplacesAPoorerOne() throws {
    let filed = try FiledProgram(scratch)
    let place = FiledProgram.place(of: try FiledProgram.buildID(of: filed.original), in: store)
    _ = try Command.run("strip", ["-g", filed.program])
    #expect(try add(filed.program).output.contains("stored as"))
    #expect(try !filed.lookup(filed.program, symbols: store).contains("program.cpp"))
    #expect(try add(filed.original).output == "\(filed.original): stored as \(place)\n")
    #expect(try add(filed.program).output == "\(filed.program): already there as \(place)\n")
    #expect(try filed.lookup(filed.program, symbols: store).contains("program.cpp"))
    // Another build's file under that name, or a damaged one, is not left alone.
    try Data("damaged".utf8).write(to: URL(filePath: place))
    #expect(try add(filed.original).output == "\(filed.original): stored as \(place)\n")
  }

  @Test func foldersAreSearched() throws {
    let filed = try FiledProgram(scratch)
    try FileManager.default.createDirectory(atPath: scratch.path("build/lib"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: filed.program, toPath: scratch.path("build/lib/program"))
    try FileManager.default.createSymbolicLink(atPath: scratch.path("build/link"), withDestinationPath: filed.program)
    _ = try scratch.write("no program", to: "build/readme")
    let source = scratch.path("program.cpp")
    _ = try Command.run("g++", ["-g", "-c", source, "-o", scratch.path("build/object.o")])
    let result = try add(scratch.path("build"))
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.split(separator: "\n").count == 1)
    #expect(result.output.hasPrefix("\(scratch.path("build/lib/program")): stored as "))
    try FileManager.default.createDirectory(atPath: scratch.path("empty"), withIntermediateDirectories: true)
    #expect(try add(scratch.path("empty")).status == 65)
  }

  @Test func filesThatCannotBeAdded() throws {
    let filed = try FiledProgram(scratch, ["-Wl,--build-id=none"])
    let text = try scratch.write("no program", to: "text")
    let pipe = scratch.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let object = scratch.path("object.o")
    _ = try Command.run("g++", ["-g", "-c", scratch.path("program.cpp"), "-o", object])
    let bare = scratch.path("bare")
    _ = try Command.run("g++", ["-s", "-Wl,--build-id=sha1", scratch.path("program.cpp"), "-o", bare])
    let cases: [(String, Int32, String)] = [
      (
        filed.program, 65,
        "has no build ID, so its symbols cannot be stored: link with -Wl,--build-id (-Xlinker --build-id)"
      ),
      (text, 65, "not an ELF file"), (scratch.path("none"), 66, "no such file"), (pipe, 66, "not a regular file"),
      (object, 65, "not an executable, a library or a debug file"),
      (bare, 65, "has no debug information and no symbols to store"),
    ]
    for (file, status, what) in cases {
      let result = try add("--strip", file)
      #expect(result.errors == "crashsym: \(what): \(file)\n")
      #expect(result.status == status)
    }
    // The others are filed all the same, and the first failure's status counts.
    let good = scratch.path("good")
    _ = try Command.run("g++", ["-g", "-Wl,--build-id=sha1", scratch.path("program.cpp"), "-o", good])
    let result = try add(text, good, scratch.path("none"))
    #expect(result.status == 65)
    #expect(result.output.hasPrefix("\(good): stored as"))
    #expect(try Command.run(Command.crashsym, ["symbols", "add", good]).status == 64)
    #expect(try Command.run(Command.crashsym, ["symbols", "add", good, "--to", text]).status == 74)
    #expect(
      try Command.run(Command.crashsym, ["symbols", "add", good, "--to", scratch.path("no/folder")]).status == 74)
    let readOnly = try Command.run(Command.crashsym, ["symbols", "add", good, "--to", "/proc/self"])
    #expect(readOnly.status == 74)
  }

  @Test func damagedFilesDoNoHarm() throws {
    let filed = try FiledProgram(scratch)
    let whole = try Data(contentsOf: URL(filePath: filed.program))
    for count in [20, 64, 1_000, whole.count / 2, whole.count - 1] {
      try whole.prefix(count).write(to: URL(filePath: filed.program))
      let result = try add("--strip", filed.program)
      #expect(result.status == 65, "\(count)")
      #expect(result.errors.hasPrefix("crashsym: "))
      #expect(try Data(contentsOf: URL(filePath: filed.program)).count == count)
    }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<40 {
      var bytes = whole
      for _ in 0..<20 { bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255) }
      // The header and the section headers are where it hurts.
      bytes[Int.random(in: 0x20..<0x40, using: &generator)] = UInt8.random(in: 0...255)
      try bytes.write(to: URL(filePath: filed.program))
      #expect(try [0, 65].contains(add("--strip", filed.program).status))
    }
  }
}
