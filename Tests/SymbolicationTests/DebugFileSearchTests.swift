import Foundation
import Testing

@testable import Symbolication

/// Where debug information is found when it is not in the program, and that another build's is never used.
@Suite struct DebugFileSearchTests {
  /// A stripped program, its debug file, and what is known of both.
  private struct Separated {
    let program: String
    let debugFile: String
    let buildID: [UInt8]
    let main: UInt64
    let folder: URL

    init(in folder: URL, source: Fixture = .c) throws {
      self.folder = folder
      program = try source.build(in: folder)
      debugFile = program + ".away"
      main = try Symbols(of: program).range(of: "main").lowerBound
      buildID = try #require(ELFFile(path: program)?.buildID)
      _ = try Tool.run(["objcopy", "--only-keep-debug", program, debugFile])
      _ = try Tool.run(["strip", program])
    }

    /// Puts the debug file somewhere, away from where it was made.
    func move(to path: String) throws -> String {
      let target = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: debugFile, toPath: target.path)
      return target.path
    }

    func lookUp(_ options: SymbolicationOptions, buildID: [UInt8]? = nil) -> (Lookup, ImageStatus) {
      let image = ImageReference(name: "program", path: program, buildID: buildID ?? self.buildID, baseAddress: 0)
      let answer = Symbolicator(options: options).symbolicate([(main, .programCounter)], in: image)
      return (answer.lookups[0], answer.status)
    }

    func path(_ relative: String) -> String { folder.appendingPathComponent(relative).path }

    var buildIDPath: String {
      let hex = BuildID.hex(buildID)
      return ".build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug"
    }
  }

  private func expect(_ separated: Separated, _ options: SymbolicationOptions, uses debugFile: String) {
    let (lookup, status) = separated.lookUp(options)
    #expect(status == .found(path: separated.program, debugInfo: .dwarf(path: debugFile)))
    #expect(lookup.calls.last?.name == "main")
    #expect(lookup.calls.last?.location?.path.hasSuffix("/sample.c") == true)
    #expect(lookup.calls.last?.location?.line == 11)
  }

  @Test(arguments: ["symbols", "debug"])
  func buildIDTree(_ kind: String) throws {
    try Tool.withFolder { folder in
      let separated = try Separated(in: folder)
      let path = try separated.move(to: "tree/" + separated.buildIDPath)
      let tree = separated.path("tree")
      let options =
        kind == "symbols"
        ? SymbolicationOptions(symbolDirectories: [tree]) : SymbolicationOptions(debugDirectories: [tree])
      expect(separated, options, uses: path)
    }
  }

  @Test(arguments: ["program.debug", "program"])
  func flatFolder(_ name: String) throws {
    try Tool.withFolder { folder in
      let separated = try Separated(in: folder)
      let path = try separated.move(to: "flat/" + name)
      expect(separated, SymbolicationOptions(symbolDirectories: [separated.path("flat")]), uses: path)
    }
  }

  @Test(arguments: ["away.debug", ".debug/away.debug", "system"])
  func debugLink(_ place: String) throws {
    try Tool.withFolder { folder in
      let separated = try Separated(in: folder)
      let place = place == "system" ? "system\(folder.path)/away.debug" : place
      let path = try separated.move(to: place)
      _ = try Tool.run(["objcopy", "--add-gnu-debuglink=\(path)", separated.program])
      expect(separated, SymbolicationOptions(debugDirectories: [separated.path("system")]), uses: path)
    }
  }

  @Test func debugLinkWithoutBuildIDIsHeldToItsChecksum() throws {
    try Tool.withFolder { folder in
      let separated = try Separated(in: folder)
      let path = try separated.move(to: "away.debug")
      for file in [path, separated.program] { _ = try Tool.run(["objcopy", "-R", ".note.gnu.build-id", file]) }
      _ = try Tool.run(["objcopy", "--add-gnu-debuglink=\(path)", separated.program])
      let image = ImageReference(name: "program", path: separated.program, baseAddress: 0)
      #expect(
        Symbolicator().symbolicate([], in: image).status
          == .found(path: separated.program, debugInfo: .dwarf(path: path)))
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data([0]))
      try handle.close()
      let status = Symbolicator().symbolicate([], in: image).status
      guard case .found(separated.program, debugInfo: .dynamicSymbols, let searched) = status else {
        Issue.record("\(status)")
        return
      }
      #expect(searched.contains(path))
    }
  }

  @Test func anotherBuildIsNeverUsed() throws {
    try Tool.withFolder { folder in
      let separated = try Separated(in: folder)
      let path = try separated.move(to: "flat/program")
      // The program was rebuilt since: same name, other code.
      _ = try Fixture.clangC.build(in: folder)
      let rebuilt = try #require(ELFFile(path: separated.program)?.buildID)
      let (lookup, status) = separated.lookUp(.init())
      #expect(lookup.calls.isEmpty)
      guard case .mismatched(let found, let expected, let foundID, let searched) = status else {
        Issue.record("\(status)")
        return
      }
      #expect(found == separated.program)
      #expect(expected == BuildID.hex(separated.buildID))
      #expect(foundID == BuildID.hex(rebuilt))
      #expect(searched.contains(separated.program))
      #expect(searched.contains("/usr/lib/debug/" + separated.buildIDPath))
      // The right one elsewhere is found all the same.
      let answer = separated.lookUp(.init(symbolDirectories: [separated.path("flat")]))
      #expect(answer.1 == .found(path: path, debugInfo: .dwarf(path: path)))
      #expect(answer.0.calls.last?.location?.line == 11)
    }
  }

  @Test func missingFileSaysWhereItWasLookedFor() throws {
    let image = ImageReference(name: "gone", path: "/nowhere/gone", buildID: [0xab, 0xcd, 0xef], baseAddress: 0)
    let answer = Symbolicator(options: .init(symbolDirectories: ["/symbols"])).symbolicate(
      [(1, .programCounter)], in: image)
    #expect(answer.lookups == [Lookup()])
    #expect(
      answer.status
        == .missing(
          buildID: "abcdef",
          searched: [
            "/nowhere/gone", "/symbols/.build-id/ab/cdef.debug", "/symbols/.build-id/ab/cdef",
            "/usr/lib/debug/.build-id/ab/cdef.debug", "/symbols/gone", "/symbols/gone.debug", "/symbols/nowhere/gone",
            "/usr/lib/debug/nowhere/gone.debug",
            "/symbols (files of any name in this folder and in folders up to 4 levels below it)",
          ]))
  }

  @Test func kernelsImageHasNoFile() {
    let image = ImageReference(name: "[vdso]", path: "[vdso]", buildID: [1, 2], baseAddress: 0x7fff_0000_0000)
    let status = Symbolicator().symbolicate([(0x7fff_0000_0010, .programCounter)], in: image).status
    #expect(status == .missing(buildID: "0102", searched: ["[vdso] is provided by the kernel and has no file"]))
  }

  @Test func strippedProgramKeepsItsDynamicSymbols() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.c.build(in: folder, adding: ["-rdynamic"])
      _ = try Tool.run(["strip", program])
      let fail = try #require(
        Tool.run(["nm", "-D", program]).split(separator: "\n").first { $0.hasSuffix(" fail") }?.prefix(16))
      let address = try #require(UInt64(fail, radix: 16))
      let answers = try Answers(program, at: [address + 3])
      guard case .found(program, debugInfo: .dynamicSymbols, _) = answers.status else {
        Issue.record("\(answers.status)")
        return
      }
      #expect(
        answers.lookups[0].calls == [SymbolicatedCall(mangledName: "fail", name: "fail", offset: 3, start: address)])
    }
  }
}

extension DebugFileSearchTests {
  /// dwz moves what two programs share into a file of its own.
  @Test(.enabled(if: Tool.path(of: "dwz") != nil)) func alternateFileOfDwz() throws {
    try Tool.withFolder { folder in
      let programs = try ["one", "two"].map { try Fixture.cxx.build(in: folder, as: $0) }
      let before = try programs.map { try Answers($0, at: CodeAddresses.sample(of: $0, count: 1_000)).lookups }
      let common = folder.appendingPathComponent("common.debug").path
      _ = try Tool.run(["dwz", "-m", common] + programs)
      #expect(FileManager.default.fileExists(atPath: common))
      let after = try programs.map { try Answers($0, at: CodeAddresses.sample(of: $0, count: 1_000)).lookups }
      #expect(before == after)
      try FileManager.default.removeItem(atPath: common)
      #expect(try Answers(programs[0], at: CodeAddresses.sample(of: programs[0], count: 1_000)).lookups != before[0])
    }
  }
}
