import Foundation
import Testing

/// Names whose text doubles with each level of substitutions.
@Suite(.timeLimit(.minutes(30))) struct ExpandingNamesTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Starts a program with all signals blocked, as threads of libdispatch have them.
  private static let deaf = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    os.execv(sys.argv[1], sys.argv[1:])
    """

  /// What `crashsym lookup` calls a function that has this symbol.
  private func shown(_ symbol: String, isDeaf: Bool = false) throws -> Substring? {
    let result = try lookedUp([symbol], isDeaf: isDeaf)
    #expect(result.errors.isEmpty, "\(result.errors)")
    return result.names.first
  }

  private func lookedUp(_ symbols: [String], isDeaf: Bool = false) throws -> (names: [Substring], errors: String) {
    let functions = symbols.enumerated().map { index, symbol in
      "void f\(index)(void) __asm__(\"\(symbol)\"); void f\(index)(void) { *(volatile int *)8 = 1; }"
    }
    let source = (functions + ["int main(void) { f0(); }"]).joined(separator: "\n")
    let program = try scratch.compile(source, to: "program", "-g")
    let lines = try Command.run("nm", [program]).output.split(separator: "\n")
    let addresses = try symbols.map { symbol in
      "0x" + (try #require(lines.first { $0.hasSuffix(" \(symbol)") }?.split(separator: " ").first))
    }
    let words = ["lookup", "--no-cache", program] + addresses
    let result =
      try isDeaf
      ? Command.run("python3", ["-c", Self.deaf, Command.crashsym] + words) : Command.run(Command.crashsym, words)
    #expect(result.status == 0)
    let names = result.output.split(separator: "\n").map { line in
      line.firstRange(of: ": ").flatMap { start in
        line.firstRange(of: " at /").map { line[start.upperBound..<$0.lowerBound] }
      } ?? line
    }
    return (names, result.errors)
  }

  /// `f(A<int, int>, A<A<int, int>, A<int, int>>, …)`
  private func templates(_ levels: Int) -> String {
    func mark(_ index: Int) -> String { index == 0 ? "S_" : "S\(String(index - 1, radix: 36, uppercase: true))_" }
    return "_Z1f1AIiiE" + (0..<levels).map { "S_I\(mark($0 + 1))\(mark($0 + 1))E" }.joined()
  }

  /// `f(_: [[Int: Int]: [Int: Int]])`
  private func dictionaries(_ levels: Int) -> String {
    let marks = (0..<levels).map { index in
      index < 24 ? "A\(Unicode.Scalar(UInt8(67 + index)))" : index == 24 ? "A_" : "A\(index - 25)_"
    }
    return "$s1m1fyy" + String(repeating: "SDy", count: levels) + "SDyS2iG" + marks.map { "\($0)G" }.joined() + "F"
  }

  /// A pattern for each of a hundred elements, in it another one for each of a hundred, and so on.
  private var packs: String {
    let inner = ["S3_", "S9_", "SF_"].map { "1BIDp1CIT_\($0)EE" }.joined()
    return "_Z1fIJ" + String(repeating: "i", count: 100) + "EEv1BIDpT_E" + inner
  }

  /// A word of 7,000 letters, 3,000 times, by one letter each.
  private var words: String {
    "$s7000" + String(repeating: "a", count: 7000) + "0" + String(repeating: "a", count: 3000) + "A0yyF"
  }

  @Test func textsOfBearableLengthAreShown() throws {
    let levels = "A<A<int, int>, A<int, int> >"
    #expect(try shown(templates(2)) == "f(A<int, int>, \(levels), A<\(levels), \(levels) >)")
    #expect(try shown(dictionaries(1)) == "f(_:)")
  }

  /// The name may expand, and does not. A process of its own demangles it.
  @Test func longNamesAreShownAsByOthers() throws {
    let symbol = templates(9) + String(repeating: "S2_", count: 24)
    #expect(try shown(symbol) == Command.run("c++filt", [symbol]).output.dropLast())
    let swift = dictionaries(9) + "Tm"
    #expect(try shown(swift)?.hasPrefix("f(_:)") == true)
  }

  /// Natively minutes, and all memory.
  @Test func endlessTextsAreLeftMangled() throws {
    #expect(try shown(templates(60)) == templates(60)[...])
    #expect(try shown(templates(60), isDeaf: true) == templates(60)[...])
    #expect(try shown(packs) == packs[...])
    #expect(try shown(words) == words[...])
    #expect(try shown(dictionaries(40)) == dictionaries(40)[...])
  }

  /// A pattern for each of seventy elements, four deep: some names of this kind, and many.
  private func packs(_ number: Int) -> String {
    let inner = ["S3_", "S9_", "SF_"].map { "1BIDp1CIT_\($0)EE" }.joined()
    return "_Z\(1 + String(number).count)f\(number)IJ" + String(repeating: "i", count: 70) + "EEv1BIDpT_E" + inner
  }

  @Test func aFewHostileNamesSpoilNoOthers() throws {
    let harmless = templates(9) + String(repeating: "S2_", count: 24)
    let hostile = (0..<8).map(packs)
    let result = try lookedUp(hostile + [harmless])
    #expect(result.errors.isEmpty, "\(result.errors)")
    #expect(result.names.dropLast().map(String.init) == hostile)
    #expect(try result.names.last == Command.run("c++filt", [harmless]).output.dropLast())
  }

  /// Each costs 50 ms of processor time, and all together 2 s: there would be 20.
  @Test func manyHostileNamesEndTheirBudget() throws {
    let hostile = (0..<400).map(packs)
    let result = try lookedUp(hostile)
    #expect(result.errors.hasPrefix("crashsym: some long names of C++ or Swift stay mangled: "), "\(result.errors)")
    #expect(result.names.map(String.init) == hostile)
  }
}
