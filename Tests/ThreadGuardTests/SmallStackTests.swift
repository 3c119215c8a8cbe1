import Foundation
import Testing

/// Runs `lock-probe` with locks on stacks that have room for little more than the program's own work.
struct SmallStackTests {
  /// How many bytes below its caller an interposed function may use, first calls and violations included.
  static let limit = 2048

  struct Case: Sendable, CustomTestStringConvertible {
    var scenario: String
    var violations: Int
    var testDescription: String { scenario }
  }

  @Test(arguments: [
    Case(scenario: "small-thread", violations: 1),
    Case(scenario: "small-coroutine", violations: 1),
    Case(scenario: "small-coroutine-in-order", violations: 0),
    Case(scenario: "small-signal-stack", violations: 1),
    Case(scenario: "two-small-threads", violations: 2),
    Case(scenario: "small-after-fork", violations: 2),
  ])
  func `a violation is reported on a stack of ThreadGuard's own`(_ test: Case) throws {
    let probe = try LockProbe(test.scenario)
    #expect(probe.waitForExit() == 0, "\(probe.standardError)")
    let told = probe.standardError.components(separatedBy: "two locks are taken in both orders").count - 1
    #expect(told == test.violations, "\(probe.standardError)")
  }

  @Test func `no interposed function uses much of its caller's stack`() throws {
    let probe = try LockProbe(
      "stacks", environment: ["LD_BIND_NOW": "1", "THREADGUARD_OPTIONS": "semaphores=yes,limit=100"])
    #expect(probe.waitForExit() == 0, "\(probe.standardError)")
    var uses: [String: Int] = [:]
    for line in probe.standardError.split(separator: "\n") where line.hasPrefix("uses: ") {
      let words = line.split(separator: " ")
      uses["\(words[1]) \(words[2])"] = Int(words[3])
    }
    #expect(uses["mutex_lock inverted"] != nil && uses["mutex_lock-contended in-order"] != nil)
    for (name, bytes) in uses { #expect(bytes > 0 && bytes <= Self.limit, "\(name): \(bytes)") }
    // Violations are among what was measured.
    #expect(probe.standardError.contains("ThreadGuard[") && probe.standardError.contains("lockOrderInversion"))
    #expect(probe.standardError.contains("lockMisuse"))
  }
}
