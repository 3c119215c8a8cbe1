import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ThreadGuard

#if THREADGUARD
  extension ViolationTests {
    /// Values whose accesses overlap.
    @Suite struct AccessTests {
      /// Handed to threads that the compiler would keep apart: finding that out is what is tested.
      private final class Shared<Value>: @unchecked Sendable {
        let guarded: ThreadGuard.GuardedValue<Value>
        init(_ guarded: ThreadGuard.GuardedValue<Value>) { self.guarded = guarded }
      }

      private final class Flag: Sendable {
        private let raised = Atomic(false)
        var isRaised: Bool { raised.load(ordering: .relaxed) }
        func raise() { raised.store(true, ordering: .relaxed) }
      }

      private final class Found: Sendable {
        private let violations = Mutex<[ThreadGuard.Violation]>([])
        var all: [ThreadGuard.Violation] { violations.withLock { $0 } }
        func add(_ violation: ThreadGuard.Violation) -> Int {
          violations.withLock { violations in
            violations.append(violation)
            return violations.count
          }
        }
      }

      private func onThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        Thread {
          try? name.write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
          body()
          done.signal()
        }.start()
        return done
      }

      /// One access while another is known to be under way.
      private func overlap(
        _ guarded: ThreadGuard.GuardedValue<Int>, first: @escaping @Sendable (Shared<Int>, () -> Void) -> Void,
        second: @escaping @Sendable (Shared<Int>) -> Void
      ) async -> [ThreadGuard.Violation] {
        let shared = Shared(guarded)
        return await ViolationTests.violations {
          let inside = DispatchSemaphore(value: 0)
          let other = DispatchSemaphore(value: 0)
          let done = onThread("first") {
            first(shared) {
              inside.signal()
              other.wait()
            }
          }
          inside.wait()
          onThread("second") { second(shared) }.wait()
          other.signal()
          done.wait()
        }
      }

      @Test func aReadDuringAWrite() async throws {
        let line = #line + 1
        let guarded = ThreadGuard.GuardedValue(wrappedValue: 1)
        let lock = ThreadGuard.GuardedLock("store")
        let found = await overlap(
          guarded, first: { shared, wait in shared.guarded.write { _ in wait() } },
          second: { shared in lock.withLock { _ = shared.guarded.wrappedValue } })
        let violation = try #require(found.first)
        #expect(found.count == 1)
        #expect(violation.kind == .dataRace && violation.code == "overlapping-access")
        #expect(violation.line == line)
        #expect(violation.stacks.map(\.thread.name) == ["second", "first"])
        #expect(
          violation.stacks.map(\.label) == [
            "the second access (read), during the first, with mutex \"store\" held, as far as ThreadGuard can see",
            "the first access (write), with no lock held, as far as ThreadGuard can see",
          ])
        #expect(violation.stacks.allSatisfy { $0.addresses.count > 2 })
      }

      @Test func aWriteDuringARead() async {
        let guarded = ThreadGuard.GuardedValue(wrappedValue: 1)
        let found = await overlap(
          guarded, first: { shared, wait in shared.guarded.read { _ in wait() } },
          second: { $0.guarded.wrappedValue = 2 })
        #expect(found.map(\.code) == ["overlapping-access"])
        #expect(guarded.wrappedValue == 2)
      }

      @Test func readsMayOverlap() async {
        let guarded = ThreadGuard.GuardedValue(wrappedValue: 1)
        let found = await overlap(
          guarded, first: { shared, wait in shared.guarded.read { _ in wait() } },
          second: { _ = $0.guarded.wrappedValue })
        #expect(found.isEmpty)
      }

      @Test func oneThreadWithinItsOwnAccess() async {
        let guarded = ThreadGuard.GuardedValue(wrappedValue: [1])
        let found = await ViolationTests.violations {
          guarded.read { values in guarded.wrappedValue = values + [2] }
          guarded.read { _ in guarded.read { _ in guarded.wrappedValue.append(3) } }
          guarded.wrappedValue.append(guarded.wrappedValue.count)
        }
        #expect(found.isEmpty)
        #expect(guarded.wrappedValue == [1, 2, 3, 3])
      }

      /// Accesses of nanoseconds, without a lock, by three threads: found within the time limit of the tests, and each time
      /// the two threads are two.
      @Test(.timeLimit(.minutes(30))) func aRaceOfShortAccesses() async {
        let shared = Shared(ThreadGuard.GuardedValue(wrappedValue: 0))
        let isEnough = Flag()
        let found = Found()
        ThreadGuard.onViolation { if found.add($0) >= 4 { isEnough.raise() } }
        let threads = ["one", "two", "three"].map { name in
          onThread(name) {
            while !isEnough.isRaised { shared.guarded.wrappedValue = shared.guarded.wrappedValue &+ 1 }
          }
        }
        for thread in threads { thread.wait() }
        ThreadGuard.onViolation(nil)
        let all = found.all
        #expect(all.count >= 4)
        #expect(all.allSatisfy { $0.stacks.count == 2 && $0.stacks[0].thread.id != $0.stacks[1].thread.id })
      }

      /// The same with a lock: none, in many accesses.
      @Test func accessesUnderALock() async {
        let shared = Shared(ThreadGuard.GuardedValue(wrappedValue: 0))
        let lock = NSLock()
        let found = await ViolationTests.violations {
          let threads = (0..<4).map { number in
            onThread("t\(number)") { for _ in 0..<5000 { lock.withLock { shared.guarded.wrappedValue += 1 } } }
          }
          for thread in threads { thread.wait() }
        }
        #expect(found.isEmpty)
        #expect(shared.guarded.wrappedValue == 20000)
      }
    }

    /// Values that belong to a lock.
    @Suite struct GuardedByTests {
      final class SwitchLock: ThreadGuard.HeldLock, @unchecked Sendable {
        var isHeldByCurrentThread: Bool? = true
      }

      final class Store {
        let lock = SwitchLock()
        @ThreadGuard.GuardedBy(\Store.lock) var entries: [String] = []
      }

      @Test func inAClass() async {
        let store = Store()
        let found = await ViolationTests.violations {
          store.entries.append("held")
          store.lock.isHeldByCurrentThread = nil
          store.entries.append("not known")
          store.lock.isHeldByCurrentThread = false
          store.entries.append("not held")
        }
        #expect(store.entries.count == 3)
        #expect(found.map(\.code) == ["lock-not-held"])
        #expect(found.first?.file.hasSuffix("AccessTests.swift") == true)
      }

      @Test func withTheLockItself() async {
        let lock = SwitchLock()
        var value = ThreadGuard.GuardedBy(wrappedValue: 1, lock)
        value.wrappedValue += 1
        lock.isHeldByCurrentThread = false
        nonisolated(unsafe) var read = 0
        let guarded = value
        let found = await ViolationTests.violations { read = guarded.wrappedValue }
        #expect(read == 2)
        #expect(found.map(\.code) == ["lock-not-held"])
      }

      final class Account {
        let lock = ThreadGuard.GuardedLock("account")
        let table = ThreadGuard.GuardedRWLock("table")
        @ThreadGuard.GuardedBy(\Account.lock) var balance = 0
        @ThreadGuard.GuardedBy(\Account.table) var entries: [Int] = []
      }

      @Test func guardedLocksKnowTheirHolder() async {
        let account = Account()
        let held = await ViolationTests.violations {
          account.lock.withLock { account.balance += 1 }
          account.table.withWriteLock { account.entries.append(1) }
          _ = account.table.withReadLock { account.entries.count }
        }
        #expect(held.isEmpty, "\(held)")
        let found = await ViolationTests.violations {
          account.balance += 1
          // The other one's lock.
          account.lock.withLock { account.entries.append(2) }
        }
        #expect(found.map(\.code) == ["lock-not-held", "lock-not-held"])
      }

      @Test func anotherThreadsLockDoesNotCount() async {
        let account = Account()
        let found = await ViolationTests.violations {
          account.lock.withLock {
            nonisolated(unsafe) let account = account
            let done = DispatchSemaphore(value: 0)
            Thread {
              account.balance += 1
              done.signal()
            }.start()
            done.wait()
          }
        }
        #expect(found.map(\.code) == ["lock-not-held"])
      }
    }

    @Test(arguments: [(Double.nan, "not-a-number"), (.infinity, "infinite"), (1, nil)])
    func finite(_ value: Double, _ code: String?) async {
      let line = #line + 1
      let found = await Self.violations { ThreadGuard.expectFinite(value, "cpu.load") }
      #expect(found.map(\.code) == [code].compactMap { $0 })
      #expect(found.allSatisfy { $0.line == line && $0.message.hasPrefix("cpu.load must be finite") })
    }
  }
#endif
