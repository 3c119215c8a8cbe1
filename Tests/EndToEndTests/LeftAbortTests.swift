import Foundation
import Testing

extension EndToEnd {
  /// A program leaves an abort by a jump out of its handler. What was left for that death's report is of no other one.
  @Suite struct LeftAbortTests {
    private func report(_ how: String, guard share: String) throws -> ProducedReport {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("left_abort.c", into: folder)
      let victim = try Victim(
        [Products.crashsym, "run", "--", program, how], environment: ["CRASHKIT_OPTIONS": "guard=\(share)"])
      #expect(victim.run.end == .killed(signal: SIGABRT))
      return try victim.report()
    }

    /// Of the guard's abort, of libc's, and of an uncaught exception's.
    @Test(arguments: [("raise", "1"), ("abort", "1"), ("raise", "no"), ("abort", "no"), ("thrown", "no")])
    func aLaterDeathHasItsOwnCause(_ how: String, _ share: String) throws {
      let report = try report(how, guard: share)
      #expect(report.causeCode == (how == "raise" ? "raised" : "abortCalled"))
      #expect(report.message == nil && report.guarded == nil)
    }

    @Test(arguments: ["again", "elsewhere"]) func theSameMistakeIsFoundAgain(_ how: String) throws {
      let guarded = try report(how, guard: "1")
      #expect(guarded.causeCode == "doubleFree" && guarded.guarded?.size == 48)
      let libcs = try report(how, guard: "no")
      #expect(libcs.causeCode == "doubleFree")
      #expect(libcs.message?.hasPrefix("free(): double free") == true)
    }

    @Test func theMessageOfAnotherThreadIsKept() throws {
      let report = try report("thrown-elsewhere", guard: "no")
      #expect(report.causeCode == "cxxException")
      #expect(report.message == "terminate called after throwing an instance of 'Second'")
    }

    @Test func threadGuardGoesOnLooking() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("left_abort.c", into: folder)
      let victim = try Victim(
        [Products.crashsym, "run", "--thread-guard", "--", program, "misuse"],
        environment: ["THREADGUARD_OPTIONS": "lockMisuse=abort"])
      #expect(victim.run.end == .killed(signal: SIGABRT))
      #expect(try victim.folder.files(endingWith: "-lockMisuse.json").count == 2)
    }
  }
}
