import Foundation
import Testing

extension EndToEnd {
  /// Every kind of death of `diagdemo crash`: what the report says, and that the program dies as it would have.
  @Suite struct CrashKindTests {
    @Test(arguments: ExpectedDeath.all)
    func reportNamesTheDeath(_ expected: ExpectedDeath) throws {
      let victim = try Victim([Products.diagdemo, "crash", expected.kind])
      let report = try victim.report()
      #expect(report.schema == "crashkit/1")
      #expect(report.kind == "crashReport")
      #expect(report.signal?.name == expected.signal)
      #expect(report.signal?.codeName == expected.code)
      if let address = expected.address { #expect(report.faultAddress == address) }
      if let cause = expected.cause { #expect(report.cause?.contains(cause) == true, "\(report.cause ?? "no cause")") }
      if let message = expected.message {
        // An optimised program often traps without a word; what failed then stands in its debug information only.
        let said = try report.message ?? victim.symbolicatedReport().cause ?? "nothing"
        #expect(said.lowercased().contains(message.lowercased()))
      }
      #expect(report.breadcrumbs?.last?.message == "about to crash")
      #expect(report.attributes == ["kind": expected.kind])
      try expectWholeStacks(report)
    }

    @Test(arguments: ExpectedDeath.all)
    func topOwnFrameIsTheLine(_ expected: ExpectedDeath) throws {
      let report = try Victim([Products.diagdemo, "crash", expected.kind]).symbolicatedReport()
      let own = try #require(
        report.threads.first?.frames.first { frame in
          frame.sourceLocation.map { $0.file.contains("/Sources/diagdemo/") || $0.file.contains("/CDiagdemoCrashes/") }
            ?? false
        })
      #expect(own.description?.contains(expected.function) == true, "\(own.description ?? "no function")")
      #expect(own.sourceLocation?.file.hasSuffix(expected.file) == true)
      if let line = try expected.lineNumber() { #expect(own.sourceLocation?.line == line) }
    }

    /// The kinds that are tried on a thread too: a few, or in the full set all that can be.
    private static let onThreads =
      Products.testsAreFull
      ? ExpectedDeath.all.map(\.kind).filter { $0 != "async-crash" }
      : ["null-read", "stack-overflow", "abort", "fatal-error", "cxx-exception", "raise-SIGSEGV"]

    @Test(arguments: onThreads)
    func threadVariants(_ kind: String) throws {
      let victim = try Victim([Products.diagdemo, "crash", "thread-\(kind)"])
      let report = try victim.report()
      #expect(report.threads.count == 2)
      #expect(report.threads.first?.name == "crasher")
      #expect(report.threads.first?.crashed == true)
      try expectWholeStacks(report)
    }

    @Test(arguments: ExpectedDeath.all.map(\.kind) + ["thread-null-read", "signals-blocked", "many-threads"])
    func programDiesAsItWouldHave(_ kind: String) throws {
      let with = try Victim([Products.diagdemo, "crash", kind]).run.end
      let without = try ProgramRun.run(
        [Products.diagdemo, "crash", kind, "--without-crash-kit"], environment: ["SWIFT_BACKTRACE": "enable=no"])
      #expect(with == without.end)
    }

    @Test func manyThreadsAtOnceLeaveOneReport() throws {
      let report = try Victim([Products.diagdemo, "crash", "many-threads"]).report()
      #expect(report.threads.filter { $0.crashed == true }.count == 1)
      #expect(report.signal?.name == "SIGSEGV")
    }

    @Test func deathByAKillLeavesNoReport() throws {
      let victim = try Victim([Products.diagdemo, "crash", "raise-SIGKILL"])
      #expect(victim.run.end == .killed(signal: SIGKILL))
      #expect(try victim.folder.files(endingWith: ".json").isEmpty)
    }

    @Test func nothingIsLeftWhenSwitchedOff() throws {
      let victim = try Victim(
        [Products.diagdemo, "crash", "null-read"],
        environment: ["CRASHKIT_OPTIONS": "enable=no", "SWIFT_BACKTRACE": "enable=no"])
      #expect(victim.run.end == .killed(signal: SIGSEGV))
      #expect(try FileManager.default.contentsOfDirectory(atPath: victim.folder.url.path).isEmpty)
    }

    @Test func summaryNamesCauseReportAndCommand() throws {
      let victim = try Victim([Products.diagdemo, "crash", "null-read"])
      let path = try victim.reportPath()
      let lines = victim.run.standardError.split(separator: "\n").filter { $0.hasPrefix("CrashKit[") }
      #expect((1...30).contains(lines.count))
      #expect(lines.first?.contains("null pointer dereference") == true)
      #expect(lines.contains { $0.hasSuffix("report: \(path)") })
      #expect(lines.last?.hasSuffix("crashsym \(path)") == true)
    }

    /// The crashed thread first, and every stack down to its thread's entry.
    private func expectWholeStacks(_ report: ProducedReport) throws {
      let first = try #require(report.threads.first)
      #expect(first.crashed == true)
      #expect(first.registers?.isEmpty == false)
      for thread in report.threads {
        #expect(thread.stackEnd == "entry", "thread \(thread.id) \(thread.name ?? "")")
        #expect(!thread.frames.isEmpty)
      }
    }
  }
}
