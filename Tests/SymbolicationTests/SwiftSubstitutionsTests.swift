import Testing

@testable import Symbolication

@Suite struct SwiftSubstitutionsTests {
  /// So many substitutions would copy more than can be read.
  private static let many = String(repeating: "AC", count: 60)

  @Test(arguments: [
    ("$s4main5ClassC6methodyyF", 0), ("$s4main1AV1BVABtF", 1),
    // A private name's number, and the words of names before.
    ("$s4main3AbcV4name33_A65DA8026DD02E1677FFC0ED23A0A1A2LLyyF", 0), ("$s11SomeModules0aB5Allow6AccessV", 0),
    ("$s11SomeModules0aB0V6AccessV", 0), ("$s4main3AbcVq0_AbcD", 3), ("$s4main3AbcVA12C", 12),
  ]) func textInsideNamesIsNotASubstitution(_ name: String, _ count: Int) {
    #expect(SwiftSubstitutions(in: name).count == count, "\(name)")
  }

  /// What looks like the length of an identifier here is none for the demangler, or may be none.
  @Test(arguments: [
    "S120", "S2i", "SS7abcd120", "q120_", "4mainTf120", "4mainTfmq120", "4mainTf4pi120_n", "A120", "YA5abc120_",
    "00120_",
    "0120_", "\u{1}120", "T0120",
  ]) func noSubstitutionIsHidden(_ trick: String) {
    #expect(SwiftSubstitutions(in: "$s4main3AbcV\(trick)\(Self.many)").count >= 60)
  }

  /// Words of earlier identifiers: each letter may stand for thousands of bytes.
  @Test(arguments: ["", "SS1a", "q12_", "Tf4n_n"]) func wordsCount(_ before: String) {
    let word = String(repeating: "a", count: 8_000)
    let name = "$s8000\(word)\(before)0\(String(repeating: "a", count: 7_900))A0V"
    #expect(SwiftSubstitutions(in: name).bytesOfWords >= 1 << 20)
    #expect(SwiftSubstitutions(in: "$s11SomeModules0aB5AllowV").bytesOfWords == 22)
  }

  /// The text that the runtime makes of a name is never longer than the count allows.
  @Test func textsAreNotLongerThanTheCountAllows() {
    let pieces = [
      "AA", "AB", "AC", "AbD", "A2C", "A0_", "4main", "3AbcV", "5ClassC", "04MainB0V", "0A3DefV", "00", "S2i", "Si",
      "SS", "SgG", "y",
      "_", "t", "G", "c", "X", "V", "T", "Tf4nn_n", "Tf9_n", "q_", "q12_", "x", "33_ACACACACACACACACACACACACACACACACLL",
      "F",
      "7", "12_", "YA", "fA0_", "Sg", "ySi_", "Iegn_", "D", "ABtAB", "ACACtAD", "y1A_",
    ]
    var random = SystemRandomNumberGenerator()
    var shown = 0
    for _ in 0..<20_000 {
      let name =
        "$s4main3AbcV" + (0..<Int.random(in: 1...24, using: &random)).map { _ in pieces.randomElement()! }.joined()
      let count = SwiftSubstitutions(in: name).count
      guard count < 30, let text = RuntimeDemangler.full.demangleHere(name), text != name else { continue }
      shown += 1
      // What a piece stands for besides substitutions is a few dozen characters: `Swift.Optional<Swift.Int>`.
      var longest = name.utf8.count * 32
      for _ in 0..<(count / 3 + 1) { longest *= 3 }
      #expect(text.utf8.count <= longest, "\(name)")
    }
    #expect(shown > 20)
  }
}
