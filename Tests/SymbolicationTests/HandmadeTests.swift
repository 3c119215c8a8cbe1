import Foundation
import Testing

@testable import Symbolication

/// Debug information that no compiler writes: circles, depths, and shapes that damaged or hostile files may have.
@Suite struct HandmadeTests {
  /// Assembles a program whose only unit has these entries; gives the look-up of each address of its one function.
  private func lookUp(entries: String) throws -> [Lookup] {
    try Tool.withFolder { folder in
      let source = folder.appendingPathComponent("handmade.s")
      try (head + entries + "\n  .byte 0\n.Lend:\n" + abbreviations).write(
        to: source, atomically: true, encoding: .utf8)
      let program = folder.appendingPathComponent("handmade").path
      _ = try Tool.run(["gcc", "-nostdlib", "-static", "-Wl,-e,first", source.path, "-o", program])
      let first = try #require(Tool.run(["nm", program]).split(separator: "\n").first { $0.hasSuffix(" first") })
      let start = try #require(UInt64(first.prefix(16), radix: 16))
      return try Answers(program, at: [start, start + 4, start + 8]).lookups
    }
  }

  @Test func originThatIsItselfEnds() throws {
    let lookups = try lookUp(
      entries: """
        .Lself: .uleb128 3
          .quad first
          .quad 12
          .long .Lself - .Lunit
          .byte 0
        """)
    #expect(lookups[0].calls.map(\.name) == ["first"])
  }

  @Test func originsInACircleEnd() throws {
    let lookups = try lookUp(
      entries: """
        .Lone: .uleb128 4
          .long .Ltwo - .Lunit
        .Ltwo: .uleb128 4
          .long .Lone - .Lunit
          .uleb128 3
          .quad first
          .quad 12
          .long .Lone - .Lunit
          .uleb128 5
          .quad first + 4
          .quad 4
          .long .Lone - .Lunit
          .byte 7
          .byte 0
          .byte 0
        """)
    #expect(lookups[0].calls.map(\.name) == ["first"])
    #expect(lookups[1].calls.map(\.name) == ["<unknown function>", "first"])
    #expect(lookups[1].calls.map(\.isInlined) == [true, false])
    #expect(lookups[2].calls.count == 1)
  }

  @Test func originOutsideOfTheUnitIsNotFollowed() throws {
    let lookups = try lookUp(
      entries: """
          .uleb128 3
          .quad first
          .quad 12
          .long 0x7ffffff0
          .byte 0
        """)
    #expect(lookups[0].calls.map(\.name) == ["first"])
  }

  @Test func concreteFunctionInsideOneWithoutCodeIsFound() throws {
    let lookups = try lookUp(
      entries: """
          .uleb128 6
          .asciz "around"
          .uleb128 6
          .asciz "inside"
          .byte 0
          .uleb128 7
          .asciz "nested"
          .quad first
          .quad 12
          .uleb128 8
          .asciz "deepest"
          .quad first + 4
          .quad 4
          .byte 9
          .byte 0
          .byte 0
          .byte 0
        """)
    #expect(lookups[0].calls.count == 1)
    #expect(lookups[1].calls.map(\.name) == ["deepest", "first"])
    #expect(lookups[1].calls.map(\.isInlined) == [true, false])
  }

  @Test func bottomlessNestingEnds() throws {
    let lookups = try lookUp(
      entries: """
          .uleb128 7
          .asciz "nested"
          .quad first
          .quad 12
          .rept 200000
          .uleb128 2
          .endr
        """)
    #expect(lookups[0].calls.map(\.name) == ["first"])
  }

  /// Attributes that take no byte, without end: in the root of each unit, and of each function.
  /// Assemblers for aarch64 mark where code and data begin, also in the middle of a function.
  @Test func mappingSymbolsAreNotFunctions() throws {
    try Tool.withFolder { folder in
      let source = folder.appendingPathComponent("marks.s")
      let text = """
        .globl first
        .type first, @function
        first: nop
        "$d": .quad 0
        "$x.1": .quad 0
        "$data": .quad 0
        """
      try (text + "\n").write(to: source, atomically: true, encoding: .utf8)
      let program = folder.appendingPathComponent("marks").path
      _ = try Tool.run(["gcc", "-nostdlib", "-static", "-Wl,-e,first", source.path, "-o", program])
      let first = try #require(Tool.run(["nm", program]).split(separator: "\n").first { $0.hasSuffix(" first") })
      let start = try #require(UInt64(first.prefix(16), radix: 16))
      let lookups = try Answers(program, at: [start, start + 4, start + 12, start + 20]).lookups
      #expect(lookups.map { $0.calls.map(\.name) } == [["first"], ["first"], ["first"], ["$data"]])
    }
  }

  @Test func attributesWithoutEndEnd() throws {
    try Tool.withFolder { folder in
      let source = folder.appendingPathComponent("attributes.s")
      try """
      .section .debug_abbrev,"",@progbits
      .uleb128 1, 0x11
      .byte 1
      .rept 300000
      .uleb128 0x7f, 0x19
      .endr
      .byte 0, 0
      .uleb128 2, 0x2e
      .byte 0
      .rept 300000
      .uleb128 0x7f, 0x19
      .endr
      .byte 0, 0, 0
      .section .debug_info,"",@progbits
      .rept 20000
      .long 11
      .value 4
      .long 0
      .byte 8, 1, 2, 2, 0
      .endr

      """.write(to: source, atomically: true, encoding: .utf8)
      let object = folder.appendingPathComponent("attributes.o").path
      _ = try Tool.run(["gcc", "-c", source.path, "-o", object])
      let start = ContinuousClock.now
      let file = try #require(ELFFile(path: object).flatMap { DWARFFile($0) })
      #expect(file.units.count == 20_000)
      for unit in file.units { #expect(unit.functions.nodes.isEmpty) }
      #expect(ContinuousClock.now - start < .seconds(60))
    }
  }

  /// Each unit begins its table of shapes a bit further into the same huge one, so that no two share theirs.
  @Test func hugeTablesOfShapesEnd() throws {
    try Tool.withFolder { folder in
      let source = folder.appendingPathComponent("tables.s")
      try """
      .section .debug_abbrev,"",@progbits
      .rept 40
      .uleb128 1, 0x11
      .byte 1, 0, 0
      .endr
      .set code, 5
      .rept 60000
      .uleb128 code, 0x34
      .byte 0, 0, 0
      .set code, code + 1
      .endr
      .byte 0
      .section .debug_info,"",@progbits
      .set place, 0
      .rept 40
      .long 10
      .value 4
      .long place
      .byte 8, 1, 5, 0
      .set place, place + 5
      .endr
      """.appending("\n").write(to: source, atomically: true, encoding: .utf8)
      let object = folder.appendingPathComponent("tables.o").path
      _ = try Tool.run(["gcc", "-c", source.path, "-o", object])
      let file = try #require(ELFFile(path: object).flatMap { DWARFFile($0) })
      #expect(file.units.count == 40)
      // A smaller one than files have by default, which takes minutes to use up in a debug build.
      let budget = 1 << 20
      file.abbreviationBudget = budget
      let kept = file.units.map { $0.abbreviations.cost }
      #expect(kept[0] > 60_000)
      #expect(kept.reduce(0, +) <= budget + 40)
      for unit in file.units { unit.forget() }
      // What is let go of may be spent again.
      #expect(file.units[39].abbreviations.cost > 60_000)
    }
  }

  private let head = """
    .text
    .globl first
    .type first, @function
    first:
      .rept 12
      nop
      .endr
      .size first, 12
    .section .debug_info,"",@progbits
    .Lunit:
      .long .Lend - .Lbegin
    .Lbegin:
      .value 4
      .long .Labbreviations
      .byte 8
      .uleb128 1
      .quad first
      .quad 12

    """

  private let abbreviations = """
    .section .debug_abbrev,"",@progbits
    .Labbreviations:
      # 1: unit. 2: block with children.
      .uleb128 1, 0x11
      .byte 1
      .uleb128 0x11, 0x01, 0x12, 0x07, 0, 0
      .uleb128 2, 0x0b
      .byte 1
      .uleb128 0, 0
      # 3: function with an origin. 4: one without code. 5: inlined call.
      .uleb128 3, 0x2e
      .byte 1
      .uleb128 0x11, 0x01, 0x12, 0x07, 0x31, 0x13, 0, 0
      .uleb128 4, 0x2e
      .byte 0
      .uleb128 0x31, 0x13, 0, 0
      .uleb128 5, 0x1d
      .byte 0
      .uleb128 0x11, 0x01, 0x12, 0x07, 0x31, 0x13, 0x59, 0x0b, 0, 0
      # 6, 7: function with a name, without and with code. 8: inlined call with a name.
      .uleb128 6, 0x2e
      .byte 1
      .uleb128 0x03, 0x08, 0, 0
      .uleb128 7, 0x2e
      .byte 1
      .uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0
      .uleb128 8, 0x1d
      .byte 0
      .uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0x59, 0x0b, 0, 0
      .byte 0

    """
}
