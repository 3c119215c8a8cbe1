import Foundation
import Testing

/// Runs `lock-probe`, a debug build of C that links ThreadGuard, and looks at what it says.
struct LockTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var scenario: String
    var says: [String]
    var hangs = false
    var testDescription: String { scenario }
  }

  static let inversion = ["lockOrderInversion", "two locks are taken in both orders"]

  static let cases = [
    Case(scenario: "inversion", says: inversion),
    Case(scenario: "three", says: ["lockOrderInversion", "3 locks are taken in orders that form a cycle"]),
    Case(scenario: "gated", says: []),
    Case(scenario: "gate-left-out", says: inversion),
    Case(scenario: "try-last", says: []),
    Case(scenario: "try-first", says: inversion),
    Case(scenario: "one-thread", says: inversion + ["note", "by one thread alone"]),
    Case(scenario: "thread-ends", says: ["lockMisuse", "a thread ended with a lock held"]),
    Case(scenario: "other-unlocks", says: ["lockMisuse", "by a thread that does not hold it"]),
    Case(scenario: "double-unlock", says: ["lockMisuse", "unlocked that no thread holds"]),
    Case(scenario: "destroyed", says: ["lockMisuse", "destroyed while it is held"]),
    Case(scenario: "initialised", says: ["lockMisuse", "initialised while it is held"]),
    Case(scenario: "renewed-in-child", says: []),
    Case(scenario: "initialised-in-child", says: ["lockMisuse", "initialised while it is held"]),
    Case(scenario: "two-readers", says: []),
    Case(scenario: "reader-writer", says: inversion),
    Case(scenario: "two-readers-writers-first", says: inversion),
    Case(scenario: "self", says: ["deadlock", "a lock that it holds itself"], hangs: true),
    Case(scenario: "dead", says: ["deadlock", "2 threads wait for each other's locks"], hangs: true),
    Case(scenario: "philosophers", says: ["lockOrderInversion", "500 locks are taken"]),
    Case(scenario: "hand-over-hand", says: []),
    Case(scenario: "wait-while-holding", says: ["lockMisuse", "waits for a condition while it holds another lock"]),
    Case(scenario: "address-again", says: []),
    Case(scenario: "same-class", says: ["two locks of the class \"account\""]),
    Case(scenario: "classes", says: inversion),
    Case(scenario: "recursive", says: []),
    Case(scenario: "inverted-in-places", says: inversion + ["(1 lockOrderInversion)"]),
    Case(scenario: "shared-handed-over", says: []),
    Case(scenario: "spinlock-handed-over", says: []),
    Case(scenario: "too-many-readers", says: []),
    Case(scenario: "wrapped-and-returned", says: []),
  ]

  @Test(arguments: cases)
  func `each rule is reported only when it is broken`(_ test: Case) throws {
    let probe = try LockProbe(test.scenario)
    if test.hangs {
      // It says so while it hangs, which it does until it is killed.
      try probe.wait(for: test.says[1])
      probe.kill()
    } else {
      #expect(probe.waitForExit() == 0)
    }
    let text = probe.standardError
    for words in test.says { #expect(text.contains(words), "\(text)") }
    if test.says.isEmpty { #expect(text.isEmpty, "\(text)") }
    if !test.hangs { #expect(text.components(separatedBy: "locks are taken").count <= 2, "told once: \(text)") }
  }

  @Test func `a lock given back on another thread is one mistake`() throws {
    let probe = try LockProbe("handed-over")
    #expect(probe.waitForExit() == 0)
    #expect(probe.standardError.contains("(1 lockMisuse)"), "\(probe.standardError)")
  }

  /// Standard error and the report's file are at the limit, or the file alone.
  @Test(arguments: [[], ["/bin/sh", "-c", "\"$@\" 2>&1 | cat >&2", "sh"]])
  func `a file at its limit ends no program`(_ runner: [String]) throws {
    let probe = try LockProbe("file-limit", runner: runner)
    #expect(probe.waitForExit() == 0, "\(probe.standardError)")
    #expect(probe.standardError.contains("all was seen"), "\(probe.standardError)")
    #expect(probe.standardError.contains("3 violations"), "\(probe.standardError)")
  }

  @Test func `the graph agrees with a walk over all edges`() throws {
    let probe = try LockProbe("graph")
    #expect(probe.waitForExit() == 0, "\(probe.standardError)")
  }

  @Test func `no order of the locks makes the graph's searches long`() throws {
    let probe = try LockProbe("graph-steps", runner: ["/usr/bin/timeout", "60"])
    #expect(probe.waitForExit() == 0, "\(probe.standardError)")
  }

  /// With a known glibc free locks are taken by ThreadGuard's own instructions, and without by glibc's functions.
  @Test(arguments: [("own-steps", "yes"), ("glibc-alone", "no")])
  func `a lock has at most one holder`(_ scenario: String, _ quick: String) throws {
    let probe = try LockProbe(
      scenario, runner: ["/usr/bin/timeout", "60"], environment: ["THREADGUARD_OPTIONS": "quick-locks=\(quick)"])
    #expect(probe.waitForExit() == 0)
    #expect(probe.standardError.isEmpty, "\(probe.standardError)")
  }
}
