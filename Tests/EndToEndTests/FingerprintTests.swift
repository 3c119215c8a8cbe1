import Foundation
import Testing

extension EndToEnd {
  /// Reports of one fault have one fingerprint, whichever build and process they are of.
  @Suite struct FingerprintTests {
    private struct Symbolicated: Decodable {
      struct Fingerprint: Decodable {
        var value: String
        var functions: [String]
      }
      var fingerprint: Fingerprint
    }

    /// The fingerprint of the program's death with these arguments.
    private func fingerprint(_ program: String, _ arguments: String...) throws
      -> Symbolicated.Fingerprint
    {
      let victim = try Victim(
        [Products.crashsym, "run", "--", program] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
      let run = try ProgramRun.run([Products.crashsym, "--format", "json", try victim.reportPath()])
      try #require(run.end == .exited(0))
      let report = try JSONDecoder().decode(Symbolicated.self, from: Data(run.standardOutput.utf8))
      return report.fingerprint
    }

    @Test(arguments: TestSet.all(["-Onone", "-O"], quick: ["-O"])) func sameFaultOfAnotherBuild(_ level: String) throws
    {
      let (first, other) = (try TemporaryFolder(), try TemporaryFolder())
      let program = try Compiler.compile("faults.swift", into: first, options: [level])
      let rebuilt = try Compiler.compile("faults.swift", into: other, options: [level, "-D", "OTHER_BUILD"])
      var values: Set<String> = []
      for (fault, innermost) in [("total", "price(of:in:)"), ("name", "name(of:)"), ("fetch", "price(of:in:)")] {
        let print = try fingerprint(program, fault)
        let again = try fingerprint(program, fault)
        let otherBuild = try fingerprint(rebuilt, fault)
        #expect(print.functions.first == innermost)
        #expect(again.value == print.value)
        #expect(otherBuild.value == print.value, "\(otherBuild.functions) and \(print.functions)")
        values.insert(print.value)
      }
      #expect(values.count == 3, "other faults, other fingerprints")
    }

    @Test func recursionCountsOnce() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("faults.swift", into: folder, options: ["-Onone"])
      let shallow = try fingerprint(program, "walk", "2")
      let deep = try fingerprint(program, "walk", "40")
      #expect(shallow.functions.contains("descend(_:)"))
      #expect(deep.value == shallow.value)
      let straight = try fingerprint(program, "total")
      #expect(straight.value != shallow.value)
    }

    @Test(arguments: TestSet.all(["-Onone", "-O"], quick: ["-O"])) func partsOfAnAsyncFunctionAreOne(_ level: String)
      throws
    {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("faults.swift", into: folder, options: [level])
      let atOnce = try fingerprint(program, "at-once")
      let later = try fingerprint(program, "later")
      #expect(atOnce.functions.contains("fetchAtOnce(_:later:)"))
      #expect(later.value == atOnce.value, "\(later.functions) and \(atOnce.functions)")
    }

    @Test func withoutSymbolsTheFingerprintUsesOffsets() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("faults.swift", into: folder, options: ["-Onone"])
      let strip = try ProgramRun.run([try #require(Products.onPath("strip")), "--strip-all", program])
      try #require(strip.end == .exited(0))
      let print = try fingerprint(program, "name")
      let again = try fingerprint(program, "name")
      #expect(print.functions.first?.hasPrefix("faults+0x") == true, "\(print.functions)")
      #expect(again.value == print.value)
    }
  }
}
