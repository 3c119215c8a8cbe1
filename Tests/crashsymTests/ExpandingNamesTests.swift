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

  /// Looks addresses up one by one. After the first one it ends the idle child of the process that demangles.
  private static let childEnds = """
    import os, signal, subprocess, sys
    lookup = subprocess.Popen(sys.argv[1:5], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    def answer(address):
        lookup.stdin.write(address + "\\n")
        lookup.stdin.flush()
        return lookup.stdout.readline()
    def child(process):
        return int(open(f"/proc/{process}/task/{process}/children").read().split()[0])
    answers = [answer(sys.argv[5])]
    os.kill(child(child(lookup.pid)), signal.SIGKILL)
    answers += [answer(address) for address in sys.argv[6:]]
    lookup.stdin.close()
    print("".join(answers), end="")
    sys.exit(lookup.wait())
    """

  /// What `crashsym lookup` calls a function that has this symbol.
  private func shown(_ symbol: String, isDeaf: Bool = false) throws -> Substring? {
    let result = try lookedUp([symbol], isDeaf: isDeaf)
    #expect(result.errors.isEmpty, "\(result.errors)")
    return result.names.first
  }

  private func lookedUp(_ symbols: [String], isDeaf: Bool = false) throws -> (names: [Substring], errors: String) {
    let (program, addresses) = try program(symbols)
    let words = ["lookup", "--no-cache", program] + addresses
    let result =
      try isDeaf
      ? Command.run("python3", ["-c", Self.deaf, Command.crashsym] + words) : Command.run(Command.crashsym, words)
    #expect(result.status == 0)
    return (names(result.output), result.errors)
  }

  /// A program with a function for each symbol, and their addresses.
  private func program(_ symbols: [String]) throws -> (path: String, addresses: [String]) {
    let functions = symbols.enumerated().map { index, symbol in
      "void f\(index)(void) __asm__(\"\(symbol)\"); void f\(index)(void) { *(volatile int *)8 = 1; }"
    }
    let source = (functions + ["int main(void) { f0(); }"]).joined(separator: "\n")
    let program = try scratch.compile(source, to: "program", "-g")
    let lines = try Command.run("nm", [program]).output.split(separator: "\n")
    let addresses = try symbols.map { symbol in
      "0x" + (try #require(lines.first { $0.hasSuffix(" \(symbol)") }?.split(separator: " ").first))
    }
    return (program, addresses)
  }

  private func names(_ output: String) -> [Substring] {
    output.split(separator: "\n").map { line in
      line.firstRange(of: ": ").flatMap { start in
        line.firstRange(of: " at /").map { line[start.upperBound..<$0.lowerBound] }
      } ?? line
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
  @Test func longNamesAreShownAsOtherToolsShowThem() throws {
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

  /// Its end is no answer: else each name would get that of the name before.
  @Test func noNameGetsTheResultOfAnother() throws {
    let symbols = (0..<4).map { "_Z2f\($0)" + templates(9).dropFirst(4) + String(repeating: "S2_", count: 24) }
    let (program, addresses) = try program(symbols)
    let words = [Command.crashsym, "lookup", "--no-cache"]
    let result = try Command.run("python3", ["-c", Self.childEnds] + words + [program] + addresses)
    #expect(result.status == 0)
    let readable = try symbols.map { try Command.run("c++filt", [$0]).output.dropLast() }
    let shown = names(result.output)
    try #require(shown.count == symbols.count, "\(result.output)")
    // The name that met the end of the connection may stay as it is.
    #expect(shown[1] == readable[1] || shown[1] == symbols[1][...])
    #expect([shown[0], shown[2], shown[3]] == [readable[0], readable[2], readable[3]])
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
    #expect(result.errors.hasPrefix("crashsym: some long C++ or Swift names stay mangled: "), "\(result.errors)")
    #expect(result.names.map(String.init) == hostile)
  }
}
