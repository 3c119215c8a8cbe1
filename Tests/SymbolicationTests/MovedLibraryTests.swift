import Foundation
import Testing

@testable import Symbolication

/// Libraries that prelink moved: their debug file and their MiniDebugInfo have the addresses from before.
@Suite struct MovedLibraryTests {
  private static let source = """
    static volatile int counter[4];
    static int __attribute__((noinline)) twice(int x) { return counter[0] + x * 2; }
    static inline int square(int x) { return x * x + counter[1]; }
    int plain(int x);
    int entry(int x) { return twice(x) + square(x) + plain(x); }
    """
  /// Compiled without debug information: the symbol table alone names it.
  private static let plainSource = "int __attribute__((visibility(\"hidden\"))) plain(int x) { return x * 3 + 1; }\n"

  /// How prelink moves a library: as a whole, or with larger sections before its code too.
  enum Move: CaseIterable {
    case whole, behindLargerSections

    fileprivate var linking: [String] {
      let base = "-Wl,-Ttext-segment=0x3000000000"
      return self == .whole ? [base] : [base, "-Wl,-rpath,/" + String(repeating: "a", count: 95)]
    }
  }

  /// A library as it was linked, and the same one moved and stripped.
  private struct Libraries {
    let original: String
    let moved: String
    let distance: UInt64
    let addresses: [UInt64]

    init(in folder: URL, _ move: Move = .whole) throws {
      func compile(_ text: String, _ name: String, _ argument: String) throws -> String {
        let source = folder.appendingPathComponent(name + ".c")
        try text.write(to: source, atomically: true, encoding: .utf8)
        _ = try Tool.run(["gcc", "-c", "-O2", argument, "-fPIC", source.path, "-o", source.path + ".o"])
        return source.path + ".o"
      }
      let objects = [
        try compile(MovedLibraryTests.source, "moved", "-g"),
        try compile(MovedLibraryTests.plainSource, "plain", "-g0"),
      ]
      func link(_ name: String, _ arguments: [String]) throws -> String {
        let path = folder.appendingPathComponent(name).path
        let command = ["gcc", "-shared", "-nostdlib", "-Wl,--build-id=0x7072656c696e6b65", "-Wl,-z,noseparate-code"]
        _ = try Tool.run(command + arguments + objects + ["-o", path])
        return path
      }
      original = try link("original", [])
      moved = try link("moved", move.linking)
      let symbols = try Symbols(of: original)
      let entry = try symbols.range(of: "entry")
      distance = try Symbols(of: moved).range(of: "entry").lowerBound - entry.lowerBound
      try #require((distance == 0x30_0000_0000) == (move == .whole))
      addresses = try ["twice", "entry", "plain"].flatMap { Array(try symbols.range(of: $0)) }
      _ = try Tool.run(["strip", moved])
    }

    /// What is found for the moved library at the same places, with the functions' starts as the original has them.
    func lookUpMoved(_ options: SymbolicationOptions = .init()) throws -> [Lookup] {
      try Answers(moved, at: addresses.map { $0 + distance }, options: options).lookups.map { lookup in
        var lookup = lookup
        for index in lookup.calls.indices { lookup.calls[index].start? -= distance }
        return lookup
      }
    }

    func image() throws -> ImageReference { try BinaryFile(path: moved).image() }
  }

  private func options(_ libraries: Libraries, in folder: URL) throws -> SymbolicationOptions {
    let symbols = folder.appendingPathComponent("symbols")
    try FileManager.default.createDirectory(at: symbols, withIntermediateDirectories: true)
    let debugFile = symbols.appendingPathComponent("moved.debug").path
    _ = try Tool.run(["objcopy", "--only-keep-debug", libraries.original, debugFile])
    return .init(symbolDirectories: [symbols.path])
  }

  @Test(arguments: Move.allCases)
  func debugFileAnswersAsForTheOriginal(_ move: Move) throws {
    try Tool.withFolder { folder in
      let libraries = try Libraries(in: folder, move)
      let expected = try Answers(libraries.original, at: libraries.addresses).lookups
      #expect(Set(expected.map { $0.calls.last?.name }) == ["twice", "entry", "plain"])
      #expect(expected.contains { $0.calls.count > 1 })
      #expect(try libraries.lookUpMoved(options(libraries, in: folder)) == expected)
    }
  }

  @Test func indexAnswersAsForTheOriginal() throws {
    try Tool.withFolder { folder in
      let libraries = try Libraries(in: folder)
      let expected = try Answers(libraries.original, at: libraries.addresses).lookups
      let indexes = folder.appendingPathComponent("indexes").path
      var options = try options(libraries, in: folder)
      options.index = .init(directory: indexes, sizeLimit: 1 << 30)
      let symbolicator = Symbolicator(options: options)
      let image = try libraries.image()
      let questions = libraries.addresses.map { ($0 + libraries.distance, AddressKind.programCounter) }
      let lookups = symbolicator.symbolicate(questions, in: image).lookups
      symbolicator.saveIndex()
      #expect(try FileManager.default.contentsOfDirectory(atPath: indexes).count == 1)
      #expect(Symbolicator(options: options).symbolicate(questions, in: image).lookups == lookups)
      #expect(try libraries.lookUpMoved(options) == expected)
    }
  }

  @Test func debugFileNamesVariables() throws {
    try Tool.withFolder { folder in
      let libraries = try Libraries(in: folder)
      let line = try #require(
        Tool.run(["nm", libraries.original]).split(separator: "\n").first { $0.hasSuffix(" counter") })
      let address = try #require(UInt64(line.prefix(16), radix: 16)) + libraries.distance + 4
      let symbolicator = Symbolicator(options: try options(libraries, in: folder))
      let variables = symbolicator.variables(at: [address], in: try libraries.image())
      #expect(variables == [address: Variable(name: "counter", offset: 4)])
    }
  }

  @Test func miniDebugInfoNamesFunctions() throws {
    try Tool.withFolder { folder in
      let libraries = try Libraries(in: folder)
      let mini = folder.appendingPathComponent("mini").path
      _ = try Tool.run(["objcopy", "--only-keep-debug", "--strip-debug", libraries.original, mini])
      _ = try Tool.run(["xz", mini])
      _ = try Tool.run(["objcopy", "--add-section", ".gnu_debugdata=\(mini).xz", libraries.moved])
      let names = try libraries.lookUpMoved().map { $0.calls.map(\.name) }
      #expect(Set(names) == [["twice"], ["entry"], ["plain"]])
    }
  }
}
