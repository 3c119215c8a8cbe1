import Foundation
import Testing

@testable import Symbolication

/// The marks of code and data that assemblers put into symbol tables of AArch64, in Tests/Aarch64/Cores/marks.
@Suite struct MarkTests {
  private static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Aarch64/Cores/marks").path

  /// From the first instruction on, one name for each.
  private static let names =
    Array(repeating: "_start", count: 2) + Array(repeating: "with_data", count: 5)
    + Array(repeating: "without_size", count: 4) + Array(repeating: "$x_rays", count: 2)
    + Array(repeating: "starts_a_section", count: 2)

  private func check(_ answers: Answers) {
    #expect(answers.lookups.map { $0.calls.last?.name } == Self.names)
  }

  @Test func marksNeverWinOverFunctions() throws {
    let start = try #require(ELFFile(path: Self.program)?.codeRange.lowerBound)
    check(try Answers(Self.program, at: Self.names.indices.map { start + 4 * UInt64($0) }))
  }

  /// When much was asked, the table is put in order.
  @Test func marksNeverWinInATableInOrder() throws {
    let file = try #require(ELFFile(path: Self.program))
    let table = try #require(SymbolTable(".symtab", of: file))
    table.order()
    let pieces = table.pieces(in: file.codeRange)
    let symbols = pieces.map { SymbolTable.Symbol(address: $0.start, size: 0, name: $0.name) }
    #expect(symbols.map(table.name) == ["_start", "with_data", "without_size", "$x_rays", "starts_a_section"])
  }
}
