import Foundation
import Testing

@testable import Symbolication

/// Units that do not say where all their code is: DWARF 2 has no list for a second range.
@Suite struct UnrangedUnitTests {
  private static let source = """
    int __attribute__((noinline)) twice(int x) { return x * 2 + 1; }
    int __attribute__((noinline, section(".text.other"))) other(int x) { return x * 3 + 1; }
    int main(int count, char **arguments) { return twice(count) + other(count); }
    """

  /// A unit that is a line table only, as old assemblers wrote them; `.debug_aranges` names its code.
  private static let assembly = """
      .file 1 "old.s"
      .text
      .globl _start
      .type _start, @function
    _start:
      .loc 1 7
      nop
      .loc 1 8
      ret
    .Lend:
      .size _start, . - _start
      .section .debug_info, "", @progbits
    .Lunit:
      .long .Lunit_end - .Lunit_start
    .Lunit_start:
      .short 2
      .long .Labbreviations
      .byte 8
      .uleb128 1
      .long .Llines
    .Lunit_end:
      .section .debug_abbrev, "", @progbits
    .Labbreviations:
      .byte 1, 0x11, 0, 0x10, 6, 0, 0, 0
      .section .debug_aranges, "", @progbits
      .long .Lranges_end - .Lranges_start
    .Lranges_start:
      .short 2
      .long .Lunit
      .byte 8, 0
      .long 0
      .quad _start, .Lend - _start
      .quad 0, 0
    .Lranges_end:
      .section .debug_line, "", @progbits
    .Llines:
    """

  private func starts(in program: String) throws -> [String: UInt64] {
    let lines = try Tool.run(["nm", program]).split(separator: "\n").map { $0.split(separator: " ") }
    return Dictionary(
      lines.compactMap { $0.count == 3 ? (String($0[2]), UInt64($0[0], radix: 16) ?? 0) : nil },
      uniquingKeysWith: { first, _ in first })
  }

  /// Builds the program; `removing` is a section that it is to lose.
  private func check(removing section: String? = nil) throws {
    try Tool.withFolder { folder in
      let source = folder.appendingPathComponent("strict.c")
      try Self.source.write(to: source, atomically: true, encoding: .utf8)
      let program = folder.appendingPathComponent("strict").path
      _ = try Tool.run(["gcc", "-O2", "-gdwarf-2", "-gstrict-dwarf", source.path, "-o", program])
      if let section { _ = try Tool.run(["objcopy", "--remove-section", section, program]) }
      let starts = try starts(in: program)
      for (line, name) in ["twice", "other", "main"].enumerated() {
        let start = try #require(starts[name])
        let call = try #require(Answers(program, at: [start]).lookups[0].calls.first)
        #expect(call.name == name)
        #expect(call.location?.path == source.path)
        #expect(call.location?.line == line + 1)
      }
    }
  }

  @Test func secondRangeIsFoundInDebugAranges() throws { try check() }

  @Test func secondRangeIsFoundByTheFunctions() throws { try check(removing: ".debug_aranges") }

  @Test func unitThatIsALineTableOnlyIsFound() throws {
    try Tool.withFolder { folder in
      let source = folder.appendingPathComponent("old.s")
      try (Self.assembly + "\n").write(to: source, atomically: true, encoding: .utf8)
      let program = folder.appendingPathComponent("old").path
      _ = try Tool.run(["gcc", "-nostdlib", "-static", source.path, "-o", program])
      let start = try #require(starts(in: program)["_start"])
      let lookups = try Answers(program, at: [start, start + 1]).lookups
      #expect(lookups.map { $0.calls.first?.name } == ["_start", "_start"])
      #expect(lookups.map { $0.calls.first?.location?.line } == [7, 8])
    }
  }
}
