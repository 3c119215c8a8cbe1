import Foundation
import Testing

/// Scheduling noise, as `lock-probe` and `guarded-locks-probe` see it.
struct PerturbationTests {
  private func run(_ scenario: String, program: String = "lock-probe", options: String) throws -> [Substring] {
    let probe = try LockProbe(scenario, program: program, environment: ["THREADGUARD_OPTIONS": options])
    #expect(probe.waitForExit() == 0, "\(probe.standardError)")
    return probe.standardError.split(separator: "\n")
  }

  @Test func `the same seed makes the same noise on each thread`() throws {
    let first = try run("noise", options: "perturb=18446744073709551615")
    #expect(first.map { $0.split(separator: " ")[0] } == ["3", "4", "5", "6", "7", "8"])
    #expect(first.allSatisfy { $0.contains(" 600 ") }, "one boundary before each lock and one after: \(first)")
    #expect(Set(first.compactMap { $0.split(separator: " ").last }).count == 6, "each thread its own: \(first)")
    #expect(try run("noise", options: "perturb=18446744073709551615") == first)
    let other = try run("noise", options: "perturb=1")
    #expect(other.count == 6 && other.allSatisfy { !first.contains($0) })
  }

  @Test(arguments: ["", "perturb=no"]) func `there is no noise unless the option is set`(_ options: String) throws {
    #expect(try run("noise", options: options) == Array(repeating: "0 0 0000000000000000", count: 6))
  }

  /// Counted, and not timed: how often two threads that are started one after the other come in each other's way.
  @Test func `a race that needs luck is found more often`() throws {
    func lost(_ options: String) throws -> Int {
      try #require(Int(run("lost-updates", options: options).first?.split(separator: " ").first ?? ""))
    }
    let without = try lost("")
    let with = try (1...3).map { try lost("perturb=\($0)") }
    #expect(with.allSatisfy { $0 > 20 && $0 > 2 * without }, "\(without) without, \(with) with, of 400")
  }

  @Test func `handlers of signals are left alone`() throws {
    #expect(try run("handler", options: "perturb=5") == ["0 handlers slept, the program did"])
  }

  @Test(arguments: ["x", "", "-1", "1x", "18446744073709551616"])
  func `a text that is not a seed is named`(_ value: String) throws {
    let said = try run("same-class", options: "perturb=\(value)")
    #expect(said.first?.hasSuffix("THREADGUARD_OPTIONS: not understood: perturb=\(value)") == true, "\(said)")
  }

  /// Each kind of boundary is counted by the program itself.
  @Test(arguments: ["", "perturb=9"]) func `the program can ask for it`(_ options: String) throws {
    #expect(try run("noise", program: "guarded-locks-probe", options: options) == [])
  }
}
