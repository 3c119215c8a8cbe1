import Foundation
import Testing

@testable import Symbolication

/// Which instruction an address stands for, and what is said where the compiler is silent.
@Suite struct AddressTests {
  @Test func returnAddressIsLookedUpAtTheCall() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.c.build(in: folder)
      let fail = try Symbols(of: program).range(of: "fail")
      // `fail` ends in a call that never returns: the address behind it is another function's, or nobody's.
      let called = try Answers(program, at: [fail.upperBound], kind: .returnAddress).lookups[0]
      let executed = try Answers(program, at: [fail.upperBound], kind: .programCounter).lookups[0]
      let resumed = try Answers(program, at: [fail.upperBound], kind: .asyncResumePoint).lookups[0]
      #expect(called.calls.last?.name == "fail")
      #expect(called.calls.last?.offset == fail.count)
      #expect(executed.calls.last?.name != "fail")
      #expect(executed == resumed)
    }
  }

  /// gcc's link-time optimization gives names to places in `.debug_info`. Their values are no addresses, and lie where
  /// code does as soon as that section is large.
  @Test func aNameOfAnotherSectionIsNotAFunction() throws {
    try Tool.withFolder { folder in
      let marks = (0..<512).map { "mark\($0): .space 16\n" }.joined()
      let assembly = ".pushsection .debug_marks,\"\",@progbits\n\(marks).popsection\n"
      let files = ["marks.s", "main.c"].map { folder.appendingPathComponent($0) }
      try assembly.write(to: files[0], atomically: true, encoding: .utf8)
      let main = "int main(int count, char **words) { return count > 3 ? words[count - 1][0] : 0; }\n"
      try main.write(to: files[1], atomically: true, encoding: .utf8)
      let program = folder.appendingPathComponent("program").path
      _ = try Tool.run(["gcc", "-O1"] + files.map(\.path) + ["-o", program], in: folder)
      let range = try Symbols(of: program).range(of: "main")
      try #require(range.upperBound < 512 * 16, "no mark is in the way")
      let names = try Answers(program, at: Array(range)).lookups.map { $0.calls.last?.name }
      #expect(Set(names) == ["main"])
    }
  }

  @Test(arguments: [UInt64(0), 0x5555_5555_4000, 0x7fff_ffff_f000])
  func baseAddressIsTakenOff(_ base: UInt64) throws {
    try Tool.withFolder { folder in
      let program = try Fixture.c.build(in: folder)
      let main = try Symbols(of: program).range(of: "main")
      let image = ImageReference(name: "program", path: program, baseAddress: base)
      let lookups = Symbolicator().symbolicate([(base + main.lowerBound, .programCounter)], in: image).lookups
      #expect(lookups[0].calls.last?.name == "main")
      #expect(lookups[0].calls.last?.offset == 0)
    }
  }

  /// On AArch64 only: elsewhere all bits count.
  @Test(arguments: [UInt64(0x3f00_0000_0000_0000), 0x007f_0000_0000_0000, 0x0055_aa00_0000_0000, 1 << 52])
  func signaturesAreTakenOff(_ signature: UInt64) throws {
    let marks = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Aarch64/Cores/marks").path
    let start = try #require(ELFFile(path: marks)?.codeRange.lowerBound)
    let plain = try Answers(marks, at: [start + 4]).lookups
    #expect(plain[0].calls.last?.name == "_start")
    #expect(try Answers(marks, at: [start + 4 | signature]).lookups == plain)
    try Tool.withFolder { folder in
      let program = try Fixture.c.build(in: folder)
      let main = try Symbols(of: program).range(of: "main").lowerBound
      #expect(try Answers(program, at: [main | signature]).lookups[0].calls.isEmpty)
    }
  }

  @Test func programAtAFixedAddressIsNotMoved() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.clangC.build(in: folder)
      let main = try Symbols(of: program).range(of: "main")
      let image = ImageReference(name: "program", path: program, baseAddress: 0x400000)
      #expect(main.lowerBound > 0x400000)
      let lookups = Symbolicator().symbolicate([(main.lowerBound, .programCounter)], in: image).lookups
      #expect(lookups[0].calls.last?.name == "main")
    }
  }

  @Test func aTrapIsNotACall() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.swiftRelease.build(in: folder)
      let trap = try Symbols(of: program).range(of: "$s6sample4trapyS2iF", alsoContaining: "4trap")
      let lookups = try Answers(program, at: Array(trap)).lookups
      #expect(lookups.contains { $0.runtimeFailure == "arithmetic overflow" })
      #expect(lookups.allSatisfy { $0.calls.allSatisfy { !$0.name.contains("runtime failure") } })
      // The function has one line: whatever is exact or near must be on it.
      let line = try #require(lineNumber(of: "func trap(", in: Fixture.swiftRelease.source))
      for lookup in lookups {
        #expect(lookup.calls.last?.location?.line == line)
        #expect(lookup.calls.last?.isRuntime == false)
      }
    }
  }

  /// The first row of a function, at once replaced by another for the same address, is no line of what was inlined there.
  @Test func inlinedLibraryCodeHasNoLineOfItsCaller() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.swiftRelease.build(in: folder)
      let sample = try CodeAddresses.sample(of: program, count: 10_000)
      let source = folder.appendingPathComponent("sample.swift").path
      let checks = try Answers(program, at: sample).lookups.flatMap(\.calls).filter {
        $0.isInlined && $0.name.contains("_checkSubscript")
      }
      #expect(!checks.isEmpty)
      #expect(checks.allSatisfy { $0.location?.path != source || $0.location?.line == 0 }, "\(checks.prefix(2))")
    }
  }

  /// A near line is one that the same function has elsewhere, or the one that it is declared on.
  @Test func nearLinesAreOfTheSameFunction() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.swiftRelease.build(in: folder)
      let calls = try Answers(program, at: CodeAddresses.sample(of: program, count: 20_000)).lookups.flatMap(\.calls)
      let source = folder.appendingPathComponent("sample.swift").path
      let declarations = Set(
        Fixture.swiftRelease.source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
          .filter { line in ["func ", "init(", "{", "let ", "var "].contains { line.element.contains($0) } }
          .map { $0.offset + 1 })
      var exact: [String: Set<Int>] = [:]
      for call in calls {
        guard let location = call.location, !location.isApproximate, location.path == source else { continue }
        exact[call.mangledName ?? "", default: []].insert(location.line)
      }
      let near = calls.filter { $0.location?.isApproximate == true && $0.location?.path == source }
      #expect(near.count > 20)
      for call in near {
        let line = call.location?.line ?? 0
        #expect(exact[call.mangledName ?? ""]?.contains(line) == true || declarations.contains(line), "\(call)")
      }
    }
  }

  private func lineNumber(of text: String, in source: String) -> Int? {
    source.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(text) }.map { $0 + 1 }
  }
}

/// A program's functions, as `nm` lists them.
struct Symbols {
  private let ranges: [(name: String, range: Range<UInt64>)]

  init(of file: String) throws {
    ranges = try Tool.run(["nm", "-S", "--defined-only", file]).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count == 4, "tTwW".contains(fields[2]), let address = UInt64(fields[0], radix: 16),
        let size = UInt64(fields[1], radix: 16)
      else { return nil }
      return (String(fields[3]), address..<(address + size))
    }
  }

  func range(of name: String, alsoContaining part: String? = nil) throws -> Range<UInt64> {
    let exact = ranges.first { $0.name == name }
    return try #require(exact ?? part.flatMap { part in ranges.first { $0.name.contains(part) } }).range
  }
}
