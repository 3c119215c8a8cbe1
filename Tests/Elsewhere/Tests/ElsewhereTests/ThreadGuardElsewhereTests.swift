import Dispatch
import Testing
import ThreadGuard

/// A program that states rules runs on, whatever it does. What protects values still protects them.
struct ThreadGuardElsewhereTests {
  @Test func itSaysThatItDoesNotWork() {
    #expect(!ThreadGuard.isSupported)
  }

  @Test func noRuleIsChecked() throws {
    ThreadGuard.onViolation { _ in Issue.record("a violation was reported") }
    try ThreadGuard.configure(.init(mode: .abort))
    ThreadGuard.assertOn(DispatchQueue(label: "other"))
    ThreadGuard.expectFinite(Double.nan)
    try ThreadGuard.NaNTrap.enable()
    #expect(ThreadGuard.takeViolations().violations.isEmpty)
    #expect(ThreadGuard.Violation.Rule.all.isEmpty)
  }

  @Test func locksLock() async {
    let lock = ThreadGuard.GuardedLock("lock")
    let count = ThreadGuard.GuardedMutex("count", 0)
    let readers = ThreadGuard.GuardedRWLock("readers")
    nonisolated(unsafe) var plain = 0
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<1000 {
            lock.withLock { plain += 1 }
            count.withLock { $0 += 1 }
          }
        }
      }
    }
    #expect(plain == 4000)
    #expect(count.withLock { $0 } == 4000)
    #expect(readers.withReadLock { readers.withReadLock { 7 } } == 7)
    #expect(lock.isHeldByCurrentThread == nil)
  }

  @Test func guardedValuesAreValues() {
    let lock = ThreadGuard.GuardedLock("lock")
    @ThreadGuard.GuardedBy(lock) var guarded = 1
    @ThreadGuard.GuardedValue var watched = 2
    guarded += 1
    watched += 1
    #expect(guarded == 2)
    #expect(watched == 3)
    #expect(DispatchQueue(label: "queue").guardedSync { 7 } == 7)
  }
}
