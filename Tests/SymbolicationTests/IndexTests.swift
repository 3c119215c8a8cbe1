import Foundation
import Testing

@testable import Symbolication

/// A program, what is answered for it without an index, and a folder for indexes.
struct IndexedProgram {
  let path: String
  let folder: URL
  let addresses: [UInt64]
  let answers: Answers
  let options: SymbolicationOptions

  init(_ fixture: Fixture, in folder: URL, adding arguments: [String] = [], sizeLimit: UInt64 = 1 << 30) throws {
    path = try fixture.build(in: folder, adding: arguments)
    self.folder = folder.appendingPathComponent("cache/indexes")
    addresses = try CodeAddresses.sample(of: path, count: 500)
    answers = try Answers(path, at: addresses)
    options = .init(index: .init(directory: self.folder.path, sizeLimit: sizeLimit))
  }

  var image: ImageReference {
    get throws {
      let elf = try #require(ELFFile(path: path))
      return ImageReference(
        name: URL(fileURLWithPath: path).lastPathComponent, path: path, buildID: elf.buildID,
        baseAddress: 0 &- elf.loadBias(baseAddress: 0))
    }
  }

  /// Looks addresses up, by default all, and adds what was decoded to the index.
  func lookUp(_ addresses: ArraySlice<UInt64>? = nil) throws -> [Lookup] {
    let symbolicator = Symbolicator(options: options)
    let (lookups, status) = symbolicator.symbolicate(
      (addresses ?? self.addresses[...]).map { ($0, .programCounter) }, in: try image)
    symbolicator.saveIndex()
    #expect(status == answers.status)
    return lookups
  }

  /// The files in the folder of indexes.
  var files: [URL] {
    get throws { try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) }
  }

  /// The only one there is.
  var file: URL {
    get throws {
      #expect(try files.count == 1)
      return try #require(try files.first)
    }
  }

  /// How many units have to be decoded for all addresses though there is an index; nil where there is none.
  func unitsDecoded() throws -> Int? { try readerWithIndex()?.takeUnindexed().count }

  /// How many symbols' names a reader makes readable for all addresses, though it has an index; nil without an index.
  func symbolsNamed() throws -> Int? { try readerWithIndex()?.simplifiedSymbols.count }

  /// A reader that has looked up all addresses.
  private func readerWithIndex() throws -> ImageReader? {
    let files = ImageFiles(try image, options, SymbolSources(folders: SymbolFolders([]), debuginfod: nil))
    guard files.index != nil else { return nil }
    let reader = ImageReader(files)
    for address in addresses { _ = reader.lookUp(address, .programCounter) }
    return reader
  }
}

/// The index on disk: it changes no answer, and whatever is wrong with it is put right unseen.
@Suite struct IndexTests {
  static let indexed = [Fixture.c, .clangC, .cxx, .cxxDWARF4, .swiftDebug, .swiftRelease].filter(\.isAvailable)

  @Test(arguments: indexed)
  func answersAreTheSame(_ fixture: Fixture) throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(fixture, in: folder, adding: fixture.name.hasPrefix("Swift") ? buildID : [])
      #expect(try program.lookUp() == program.answers.lookups)
      #expect(try program.unitsDecoded() == 0)
      #expect(try program.lookUp() == program.answers.lookups)
    }
  }

  /// Clang, which the Swift compiler links with, may leave the build ID out.
  private let buildID = ["-Xlinker", "--build-id"]

  @Test func optionsThatAreNotInTheIndexStillCount() throws {
    try Tool.withFolder { folder in
      var full = SymbolicationOptions(fullNames: true)
      let program = try IndexedProgram(.cxx, in: folder)
      _ = try program.lookUp()
      let expected = try Answers(program.path, at: program.addresses, options: full).lookups
      full.index = program.options.index
      #expect(try Answers(program.path, at: program.addresses, options: full).lookups == expected)
      #expect(expected != program.answers.lookups)
    }
  }

  @Test func unitsAreAddedAsTheyAreNeeded() throws {
    try Tool.withFolder { folder in
      let other = folder.appendingPathComponent("other.c")
      try "int other(int v) { return v * 3 + v / 7; }\n".write(to: other, atomically: true, encoding: .utf8)
      let program = try IndexedProgram(.c, in: folder, adding: ["-x", "c", other.path])
      let function = try #require(program.answers.lookups.firstIndex { $0.calls.last?.name == "other" })
      let main = try #require(program.answers.lookups.firstIndex { $0.calls.last?.name == "main" })
      _ = try program.lookUp(program.addresses[function...function])
      let small = try Data(contentsOf: program.file).count
      // Who has it open goes on reading it as it was.
      let opened = try FileHandle(forReadingFrom: program.file)
      _ = try program.lookUp(program.addresses[main...main])
      #expect(try Data(contentsOf: program.file).count > small)
      #expect(try opened.readToEnd()?.count == small)
      #expect(try program.lookUp() == program.answers.lookups)
      #expect(try program.unitsDecoded() == 0)
    }
  }

  /// Functions without debug information, such as those of libraries that are linked statically.
  @Test func namesOfSymbolsAreKept() throws {
    try Tool.withFolder { folder in
      let source = folder.appendingPathComponent("plain.c")
      let object = folder.appendingPathComponent("plain.o")
      let functions = (10_000..<19_000).map { "int _Z6f\($0)i(int v) { return v + \($0); }\n" }
      try functions.joined().write(to: source, atomically: true, encoding: .utf8)
      _ = try Tool.run(["gcc", "-g0", "-c", source.path, "-o", object.path])
      let program = try IndexedProgram(.cxx, in: folder, adding: [object.path])
      #expect(program.answers.lookups.count { $0.calls.last?.name.hasPrefix("f1") == true } > 300)
      #expect(try program.lookUp() == program.answers.lookups)
      #expect(try program.lookUp() == program.answers.lookups)
      #expect(try program.symbolsNamed() == 0)
    }
  }

  @Test func filesArePrivate() throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(.c, in: folder)
      _ = try program.lookUp()
      func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
      }
      #expect(try mode(program.file.path) == 0o600)
      #expect(try mode(program.folder.path) == 0o700)
      #expect(try mode(program.folder.deletingLastPathComponent().path) == 0o700)
    }
  }

  @Test func withoutBuildIDThereIsNoIndex() throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(.c, in: folder, adding: ["-Wl,--build-id=none"])
      #expect(try program.lookUp() == program.answers.lookups)
      #expect(!FileManager.default.fileExists(atPath: program.folder.path))
    }
  }

  /// The build ID is still the same then.
  @Test func anotherStateOfTheFileIsNotAnsweredFromTheIndex() throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(.c, in: folder)
      _ = try program.lookUp()
      let before = program.answers.lookups
      _ = try Tool.run(["strip", "--strip-debug", program.path])
      let stripped = try Answers(program.path, at: program.addresses)
      #expect(stripped.lookups != before)
      let indexed = try Answers(program.path, at: program.addresses, options: program.options)
      #expect(indexed.lookups == stripped.lookups)
      #expect(indexed.status == stripped.status)
    }
  }

  @Test func oldestGoFirst() throws {
    try Tool.withFolder { folder in
      let size = try Tool.withFolder { folder in
        let program = try IndexedProgram(.c, in: folder)
        _ = try program.lookUp()
        return try Data(contentsOf: program.file).count
      }
      let limit = UInt64(size) * 5 / 2
      let programs = try ["a", "b", "c"].map { name in
        let own = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        return try IndexedProgram(.c, in: own)
      }
      // All into one folder.
      var options = programs[0].options
      options.index?.sizeLimit = limit
      func use(_ program: IndexedProgram) throws {
        let symbolicator = Symbolicator(options: options)
        _ = symbolicator.symbolicate(program.addresses.map { ($0, .programCounter) }, in: try program.image)
        symbolicator.saveIndex()
      }
      func age(_ file: URL, by seconds: Double) throws {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: file.path)
      }
      try use(programs[0])
      let first = try programs[0].file
      try age(first, by: 1_000)
      try use(programs[1])
      let second = try #require(try programs[0].files.first { $0 != first })
      try age(second, by: 2_000)
      // Read, and so used again: the second is the oldest now.
      try use(programs[0])
      try use(programs[2])
      let left = try Set(programs[0].files.map(\.lastPathComponent))
      #expect(left.count == 2)
      #expect(left.contains(first.lastPathComponent))
      #expect(!left.contains(second.lastPathComponent))
    }
  }

  @Test func anIndexThatIsTooLargeIsNotWritten() throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(.c, in: folder, sizeLimit: 100)
      #expect(try program.lookUp() == program.answers.lookups)
      #expect(!FileManager.default.fileExists(atPath: program.folder.path))
    }
  }

  @Test func manyAtOnce() throws {
    try Tool.withFolder { folder in
      let program = try IndexedProgram(.cxx, in: folder)
      let length = program.addresses.count / 8
      DispatchQueue.concurrentPerform(iterations: 64) { turn in
        let part = (turn % 8 * length)..<((turn % 8 + 1) * length)
        #expect((try? program.lookUp(program.addresses[part])) == Array(program.answers.lookups[part]))
      }
      #expect(try program.files.map(\.pathExtension) == ["index"])
      #expect(try program.lookUp() == program.answers.lookups)
      #expect(try program.unitsDecoded() == 0)
    }
  }
}
