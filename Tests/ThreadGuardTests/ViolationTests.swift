import Dispatch
import Glibc
import Synchronization
import Testing

@testable import ThreadGuard

#if THREADGUARD
  private let checksAreOn = true
#else
  private let checksAreOn = false
#endif

/// In a release build a check is nothing at all: not even its argument is evaluated.
@Test(.enabled(if: !checksAreOn)) func aReleaseBuildEvaluatesNoArgument() {
  func evaluated<Value>(_ value: Value) -> Value {
    Issue.record("evaluated")
    return value
  }
  ThreadGuard.assertOn(evaluated(.main))
  ThreadGuard.assertNotOn(evaluated(.main))
  ThreadGuard.assertIsolated(to: evaluated(MainActor.shared))
  ThreadGuard.expectFinite(evaluated(Double.nan), evaluated("name"))
}

/// Violations go to one handler for the whole process, so these tests take turns.
@Suite(.serialized, .enabled(if: checksAreOn)) struct ViolationTests {
  private func violations(_ body: () async -> Void) async -> [ThreadGuard.Violation] { await Self.violations(body) }

  /// The violations that `body` caused.
  static func violations(_ body: () async -> Void) async -> [ThreadGuard.Violation] {
    let collector = Collector()
    ThreadGuard.onViolation { collector.add($0) }
    await body()
    ThreadGuard.onViolation(nil)
    return collector.all
  }

  private final class Collector: Sendable {
    private let found = Mutex<[ThreadGuard.Violation]>([])
    func add(_ violation: ThreadGuard.Violation) { found.withLock { $0.append(violation) } }
    var all: [ThreadGuard.Violation] { found.withLock { $0 } }
  }

  private func run(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
      queue.async {
        body()
        done.resume()
      }
    }
  }

  @Test func onTheQueueItself() async {
    let queue = DispatchQueue(label: "own")
    let found = await violations { await run(on: queue) { ThreadGuard.assertOn(queue) } }
    #expect(found.isEmpty)
  }

  @Test func belowAQueueThatTargetsIt() async {
    let target = DispatchQueue(label: "target")
    let queue = DispatchQueue(label: "above", target: target)
    let found = await violations {
      await run(on: queue) {
        ThreadGuard.assertOn(queue)
        ThreadGuard.assertOn(target)
      }
    }
    #expect(found.isEmpty)
  }

  @Test func onAnotherQueue() async throws {
    let expected = DispatchQueue(label: "expected")
    let actual = DispatchQueue(label: "actual")
    let line = #line + 1
    let found = await violations { await run(on: actual) { ThreadGuard.assertOn(expected) } }
    let violation = try #require(found.first)
    #expect(found.count == 1)
    #expect(violation.kind == .mainQueueViolation)
    #expect(violation.expectedQueue == "expected")
    #expect(violation.actualQueue == "actual")
    #expect(violation.file.hasSuffix("ViolationTests.swift"))
    #expect(violation.line == line)
  }

  /// Where the work came from is told, also through the functions that enqueue otherwise, and for work within work.
  @Test func theStackThatEnqueuedTheWork() async throws {
    let queue = DispatchQueue(label: "actual", attributes: .concurrent)
    let enqueuers: [(@escaping @Sendable () -> Void) -> Void] = [
      { queue.async(execute: $0) }, { queue.async(flags: .barrier, execute: $0) },
      { queue.async(group: DispatchGroup(), execute: $0) },
      { queue.asyncAfter(deadline: .now() + .milliseconds(1), execute: $0) },
      { DispatchGroup().notify(queue: queue, execute: $0) },
    ]
    for (number, enqueue) in enqueuers.enumerated() {
      let found = await violations {
        await withCheckedContinuation { done in
          enqueue {
            ThreadGuard.assertMainQueue()
            done.resume()
          }
        }
      }
      #expect(found.count == 1, "enqueuer \(number)")
      let stack = found.first?.stacks.last
      // With flags, Swift makes a work item, which only libdispatch can enqueue.
      if number == 1 && stack?.label == "here" { continue }
      #expect(stack?.label == "enqueued from", "enqueuer \(number)")
      #expect((stack?.addresses.count ?? 0) > 2, "enqueuer \(number)")
    }
  }

  @Test func mainQueueAndMainActor() async {
    let found = await violations {
      await run(on: .main) { ThreadGuard.assertMainQueue() }
      await MainActor.run { ThreadGuard.assertMainQueue() }
    }
    #expect(found.isEmpty)
  }

  @Test func offTheMainQueue() async {
    let found = await violations {
      await run(on: DispatchQueue(label: "background")) { ThreadGuard.assertMainQueue() }
    }
    #expect(found.map(\.actualQueue) == ["background"])
    #expect(found.map(\.expectedQueue) == [DispatchQueue.main.label])
  }

  @Test func globalQueue() async {
    let found = await violations {
      await run(on: .global()) { ThreadGuard.assertOn(.global()) }
      await run(on: DispatchQueue(label: "serial", target: .global(qos: .utility))) { ThreadGuard.assertMainQueue() }
    }
    #expect(found.count == 1)
  }

  @Test func manyThreadsAskAboutANewQueueAtOnce() async {
    let found = await violations {
      for _ in 0..<200 {
        let queue = DispatchQueue(label: "fresh", attributes: .concurrent)
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 { group.addTask { await run(on: queue) { ThreadGuard.assertOn(queue) } } }
        }
      }
    }
    #expect(found.isEmpty)
  }

  @Test func aThreadWithoutAQueueHasNone() async {
    let found = await violations {
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        let start = Unmanaged.passRetained(Box { done.resume() })
        var thread = pthread_t()
        pthread_create(
          &thread, nil,
          { argument in
            ThreadGuard.assertMainQueue()
            Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
          }, start.toOpaque())
        pthread_detach(thread)
      }
    }
    #expect(found.map(\.actualQueue) == [""])
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
