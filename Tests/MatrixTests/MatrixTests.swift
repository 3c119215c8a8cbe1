import Foundation
import TestEnvironment
import Testing

/// The core regressions, a row of TOML each: every way to die, every lock scenario, and the samples.
///
/// `Docs/contributing.md` says which checks are Python's alone.
@Suite(.serialized) struct MatrixTests {
  private static let deaths = Matrix("deaths", options: testsAreFull ? ["--full"] : [])
  private static let lockScenarios = Matrix("lock_scenarios")
  private static let samples = Matrix("samples")
  private static let lockSamples = Matrix("lock_samples")

  /// Whether the tests that belong to the full set run: `Scripts/test --full` says so.
  private static let testsAreFull = tests_are_full()

  @Test(arguments: try deaths.rows) func death(_ row: String) throws { try Self.deaths.expect(row) }

  @Test(arguments: try lockScenarios.rows) func lockScenario(_ row: String) throws {
    try Self.lockScenarios.expect(row)
  }

  @Test(arguments: try samples.rows) func sample(_ name: String) throws { try Self.samples.expect(name) }

  @Test(arguments: try lockSamples.rows) func lockSample(_ name: String) throws { try Self.lockSamples.expect(name) }

  /// Such as a scenario without a row.
  @Test func noOtherRowIsWrong() throws {
    for matrix in [Self.deaths, Self.lockScenarios, Self.samples, Self.lockSamples] { try matrix.expectTheRest() }
  }
}
