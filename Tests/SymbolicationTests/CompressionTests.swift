import Foundation
import Testing

@testable import Symbolication

/// Sections and packages that libelf does not read itself.
@Suite struct CompressionTests {
  private func chains(_ lookups: [Lookup]) -> [[SymbolicatedCall]] { lookups.map(\.calls) }

  @Test func zstdSections() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.cxx.build(in: folder)
      let changed = program + ".zstd"
      _ = try Tool.run(["objcopy", "--compress-debug-sections=zstd", program, changed])
      let sample = try CodeAddresses.sample(of: program, count: 500)
      let expected = try Answers(program, at: sample)
      let found = try Answers(changed, at: sample)
      #expect(expected.lookups.contains { $0.calls.count > 2 })
      #expect(chains(found.lookups) == chains(expected.lookups))
    }
  }

  /// A section whose stream is damaged is as if it were missing.
  @Test func damagedZstdSection() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.cxx.build(in: folder)
      let changed = program + ".zstd"
      _ = try Tool.run(["objcopy", "--compress-debug-sections=zstd", program, changed])
      let magic = Data([0x28, 0xB5, 0x2F, 0xFD])
      var bytes = try Data(contentsOf: URL(filePath: changed))
      var damaged = 0
      while let place = bytes.range(of: magic) {
        bytes[place.lowerBound] = 0
        damaged += 1
      }
      #expect(damaged > 3)
      try bytes.write(to: URL(filePath: changed))
      let sample = try CodeAddresses.sample(of: program, count: 50)
      let answers = try Answers(changed, at: sample)
      guard case .found(_, debugInfo: .symbolTable, _) = answers.status else {
        Issue.record("\(answers.status)")
        return
      }
      #expect(answers.lookups.contains { $0.calls.count == 1 })
    }
  }

  /// The program's `.dwo` file in a package.
  @Test(.enabled(if: Tool.path(of: "dwp") != nil)) func package() throws {
    try Tool.withFolder { folder in
      let split = Fixture.clangSplit
      let program = try split.build(in: folder)
      let sample = try CodeAddresses.sample(of: program, count: 500)
      let expected = try Answers(program, at: sample)
      _ = try Tool.run(["dwp", "-e", program, "-o", program + ".dwp"], in: folder)
      for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".dwo") {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(file))
      }
      let found = try Answers(program, at: sample)
      #expect(expected.lookups.contains { $0.calls.count > 1 })
      #expect(chains(found.lookups) == chains(expected.lookups))

      // Cut anywhere, the package gives less but does no harm.
      let whole = try Data(contentsOf: URL(filePath: program + ".dwp"))
      for count in stride(from: 0, to: whole.count, by: whole.count / 16) {
        try whole.prefix(count).write(to: URL(filePath: program + ".dwp"))
        #expect(try Answers(program, at: sample).lookups.count == sample.count)
      }
    }
  }

  @Test func miniDebugInfo() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.c.build(in: folder, adding: ["-rdynamic"])
      let compare = try #require(
        Tool.run(["nm", program]).split(separator: "\n").first { $0.hasSuffix(" compare") }?.prefix(16))
      let address = try #require(UInt64(compare, radix: 16))
      let stripped = program + ".stripped"
      let names = folder.appendingPathComponent("names")
      try "compare\n".write(to: names, atomically: true, encoding: .utf8)
      _ = try Tool.run(["objcopy", "--only-keep-debug", program, program + ".debug"])
      _ = try Tool.run(["objcopy", "-S", "--keep-symbols=\(names.path)", program + ".debug", program + ".mini"])
      _ = try Tool.run(["xz", program + ".mini"])
      _ = try Tool.run(["strip", "-o", stripped, program])
      #expect(try Answers(stripped, at: [address]).lookups[0].calls.isEmpty)
      _ = try Tool.run(["objcopy", "--add-section", ".gnu_debugdata=\(program).mini.xz", stripped])

      let fail = try #require(
        Tool.run(["nm", "-D", program]).split(separator: "\n").first { $0.hasSuffix(" fail") }?.prefix(16))
      let exported = try #require(UInt64(fail, radix: 16))
      let answers = try Answers(stripped, at: [address, exported])
      #expect(answers.lookups.map { $0.calls.map(\.name) } == [["compare"], ["fail"]])
      guard case .found(_, debugInfo: .symbolTable, _) = answers.status else {
        Issue.record("\(answers.status)")
        return
      }
    }
  }

  @Test func damagedStreams() throws {
    let text = Array("not a stream at all, and of no use".utf8)
    text.withUnsafeBytes { text in
      let bytes = Bytes(start: text.baseAddress!, count: text.count)
      #expect(Decompression.xz(bytes, size: 100) == nil)
      #expect(Decompression.zstd(bytes, size: 100) == nil)
      #expect(Decompression.xzSize(bytes) == nil)
      #expect(Decompression.xzSize(.empty) == nil)
    }
  }

  /// What is forgotten is decoded again, and gives the same; nothing of what it may cost is used up.
  @Test func forgettingUnits() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.cxx.build(in: folder)
      let file = try #require(ELFFile(path: program))
      let dwarf = try #require(DWARFFile(file))
      let unit = try #require(dwarf.units.max { $0.functions.nodes.count < $1.functions.nodes.count })
      for unit in dwarf.units { unit.forget() }
      let budgets = [dwarf.functionBudget, dwarf.rangeBudget, dwarf.rowBudget]
      let nodes = unit.functions.nodes.count
      let rows = try #require(unit.lines).rows.count
      #expect(nodes > 10)
      #expect([dwarf.functionBudget, dwarf.rowBudget] != [budgets[0], budgets[2]])
      for _ in 0..<3 {
        unit.forget()
        #expect([dwarf.functionBudget, dwarf.rangeBudget, dwarf.rowBudget] == budgets)
        #expect(unit.functions.nodes.count == nodes)
        #expect(unit.lines?.rows.count == rows)
      }
    }
  }

  /// Several readers share the work; each address gets its own answer.
  @Test func manyAddressesAtOnce() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.cxx.build(in: folder)
      let sample = try CodeAddresses.sample(of: program, count: 5_000)
      let together = try Answers(program, at: sample).lookups
      let few = try stride(from: 0, to: sample.count, by: 100).flatMap {
        try Answers(program, at: Array(sample[$0..<$0 + 100])).lookups
      }
      #expect(chains(together) == chains(few))
    }
  }
}
