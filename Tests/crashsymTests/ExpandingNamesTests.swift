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
    let source = """
      void hostile(void) __asm__("\(symbol)");
      void hostile(void) { *(volatile int *)8 = 1; }
      int main(void) { hostile(); }
      """
    let program = try scratch.compile(source, to: "program", "-g")
    let lines = try Command.run("nm", [program]).output.split(separator: "\n")
    let address = try #require(lines.first { $0.hasSuffix(" \(symbol)") }?.split(separator: " ").first)
    let words = ["lookup", "--no-cache", program, "0x\(address)"]
    let result =
      try isDeaf
      ? Command.run("python3", ["-c", Self.deaf, Command.crashsym] + words) : Command.run(Command.crashsym, words)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return result.output.firstRange(of: ": ").flatMap { start in
      result.output.firstRange(of: " at /").map { result.output[start.upperBound..<$0.lowerBound] }
    }
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
}
