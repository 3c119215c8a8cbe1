import Dispatch
import ThreadGuard

/// Where code may run, and what ThreadGuard says to it: one line a scenario, with the codes of the violations.
public enum QueueScenarios {
  public static func runAll() async {
    let collector = Collector()
    collector.listen()
    for (name, body) in scenarios {
      await body()
      let codes = collector.take().map(\.code)
      say("\(name): \(codes.isEmpty ? "quiet" : codes.joined(separator: " "))")
    }
  }

  private static let background = DispatchQueue(label: "background")
  private static let other = DispatchQueue(label: "other")
  /// Its work waits for the main queue, whose work waits for `background`: with one queue for both that is a cycle.
  private static let belowMain = DispatchQueue(label: "below-main")
  private static let aboveMain = DispatchQueue(label: "above-main", target: .main)
  private static let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
  private static let aboveConcurrent = DispatchQueue(label: "above-concurrent", target: concurrent)

  private static let scenarios: [(String, @Sendable () async -> Void)] = [
    ("main queue", { await run(on: .main) { ThreadGuard.assertMainQueue() } }),
    ("main actor", { await MainActor.run { ThreadGuard.assertMainQueue() } }),
    ("above main", { await run(on: aboveMain) { ThreadGuard.assertMainQueue() } }),
    ("sync from main", { await run(on: .main) { background.sync { ThreadGuard.assertMainQueue() } } }),
    ("sync to main", { await run(on: belowMain) { DispatchQueue.main.sync { ThreadGuard.assertMainQueue() } } }),
    ("background", { await run(on: background) { ThreadGuard.assertMainQueue() } }),
    ("global queue", { await run(on: .global()) { ThreadGuard.assertMainQueue() } }),
    ("detached task", { await Task.detached { ThreadGuard.assertMainQueue() }.value }),
    ("blocks main", { await run(on: .main) { ThreadGuard.assertNotMain() } }),
    ("blocks main actor", { await MainActor.run { ThreadGuard.assertNotMain() } }),
    ("blocks background", { await run(on: background) { ThreadGuard.assertNotMain() } }),
    ("main thread from background", { await run(on: background) { ThreadGuard.assertMainThread() } }),
    ("on", { await run(on: background) { ThreadGuard.assertOn(background) } }),
    ("on another", { await run(on: other) { ThreadGuard.assertOn(background) } }),
    ("on, below sync", { await run(on: background) { other.sync { ThreadGuard.assertOn(background) } } }),
    ("on concurrent", { await run(on: concurrent) { ThreadGuard.assertOn(concurrent) } }),
    ("on concurrent, above", { await run(on: aboveConcurrent) { ThreadGuard.assertOn(concurrent) } }),
    ("on concurrent, after", { await run(on: other) { ThreadGuard.assertOn(concurrent) } }),
    ("not on", { await run(on: background) { ThreadGuard.assertNotOn(background) } }),
    ("not on another", { await run(on: other) { ThreadGuard.assertNotOn(background) } }),
    ("isolated to main actor", { await MainActor.run { ThreadGuard.assertIsolated(to: MainActor.shared) } }),
    ("isolated, main queue", { await run(on: .main) { ThreadGuard.assertIsolated(to: MainActor.shared) } }),
    ("isolated, background", { await run(on: background) { ThreadGuard.assertIsolated(to: MainActor.shared) } }),
    ("isolated, other task", { await Task.detached { ThreadGuard.assertIsolated(to: MainActor.shared) }.value }),
    ("isolated to own actor", { await Ordinary().assertSelf() }),
    ("isolated to other actor", { await Ordinary().assert(Ordinary()) }),
    ("isolated, no task", { await run(on: background) { ThreadGuard.assertIsolated(to: Ordinary()) } }),
    ("isolated to queue actor", { await onQueue.assertSelf() }),
    ("isolated to other queue actor", { await Ordinary().assert(onQueue) }),
    ("isolated to queue actor, no task", { await run(on: other) { ThreadGuard.assertIsolated(to: onQueue) } }),
    ("isolated to silent actor", { await onSilentQueue.assertSelf() }),
    ("isolated to silent actor, no task", { await run(on: other) { ThreadGuard.assertIsolated(to: onSilentQueue) } }),
    ("main queue from queue actor", { await onQueue.assertMainQueue() }),
    ("property on main", { await run(on: .main) { Screen().show("hello") } }),
    ("property off main", { await run(on: background) { Screen().show("hello") } }),
  ]

  private static let onQueue = QueueActor(QueueExecutor())
  private static let onSilentQueue = QueueActor(SilentExecutor())
}

actor Ordinary {
  func assertSelf() { ThreadGuard.assertIsolated(to: self) }
  func assert(_ other: any Actor) { ThreadGuard.assertIsolated(to: other) }
}

/// An actor whose jobs run on a queue of the program's.
actor QueueActor {
  private let executor: any SerialExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: any SerialExecutor) { self.executor = executor }

  func assertSelf() { ThreadGuard.assertIsolated(to: self) }
  func assertMainQueue() { ThreadGuard.assertMainQueue() }
}

/// Knows what it runs.
final class QueueExecutor: SerialExecutor {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "executor")

  init() { queue.setSpecific(key: Self.key, value: true) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func isIsolatingCurrentContext() -> Bool? { DispatchQueue.getSpecific(key: Self.key) == true }
}

/// Does not.
final class SilentExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "silent")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

final class Screen {
  @ThreadGuard.OnMainQueue private var title = ""

  func show(_ text: String) { title = text }
}
