import Dispatch
import Foundation
import Testing
import ThreadGuard
import ThreadGuardTesting

#if THREADGUARD
  private let isFixtureRun = ProcessInfo.processInfo.environment["THREADGUARD_FIXTURE"] == "yes"

  /// Tests that break rules, all at once: run by the test below in a process of their own.
  @Suite(.enabled(if: isFixtureRun), .threadGuarded) struct TraitFixture {
    static let queue = DispatchQueue(label: "fixture")
    static let line = #line + 3

    /// The rule is stated here for all of them.
    static func mustBeOnQueue() { ThreadGuard.assertOn(queue) }

    @Test(arguments: 0..<8) func quiet(_ number: Int) async {
      await withCheckedContinuation { done in Self.queue.async { done.resume() } }
    }

    @Test func directly() async { Self.mustBeOnQueue() }

    @Test func inAChildTask() async {
      async let child: Void = Self.mustBeOnQueue()
      await child
    }

    @Test func inATask() async { await Task { Self.mustBeOnQueue() }.value }

    @Test func inEnqueuedWork() async {
      await withCheckedContinuation { done in
        DispatchQueue.global().async {
          DispatchQueue.global().async {
            Self.mustBeOnQueue()
            done.resume()
          }
        }
      }
    }

    @Test func aNaN() throws {
      try ThreadGuard.NaNTrap.scoped { _ = Self.share(0, of: 0) }
    }

    @inline(never) static func share(_ part: Double, of whole: Double) -> Double { part / whole }
  }

  @Suite struct TraitTests {
    @Test func exactlyTheTestsThatBreakARuleFail() throws {
      let run = try ProgramRun(
        CommandLine.arguments[0].hasPrefix("/") ? CommandLine.arguments[0] : Self.ownPath,
        ["--testing-library", "swift-testing", "--filter", "TraitFixture"],
        environment: ["THREADGUARD_FIXTURE": "yes"])
      let text = run.output + run.errors
      #expect(run.status == 1, Comment(rawValue: text))
      func issues(_ name: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.contains("Test \(name)(") && $0.contains("recorded an issue") }
      }
      for name in ["directly", "inAChildTask", "inATask", "inEnqueuedWork"] {
        let own = issues(name)
        #expect(own.count == 1, Comment(rawValue: "\(name)\n\(text)"))
        #expect(own.allSatisfy { $0.contains("TraitTests.swift:\(TraitFixture.line):") })
      }
      #expect(issues("aNaN").count == 1)
      #expect(issues("quiet").isEmpty)
      #expect(text.split(separator: "\n").filter { $0.contains("recorded an issue") }.count == 5)
    }

    private static var ownPath: String {
      URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    }
  }
#endif
