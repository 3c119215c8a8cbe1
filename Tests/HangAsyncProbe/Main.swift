// A program with an asynchronous main whose actors, executors or pool hang, each mode in its own way.
//
// hang-async-probe MODE SECONDS
//   MODE: main-actor, actor (one of the pool), thread-actor (with an executor that has a thread), task-executor,
//         pool (all threads block), busy-pool (all compute), one-left (all threads of the pool but one block),
//         thread-actor-beside (its executor runs while the pool starves), idle (nothing hangs; prints how many threads the
//         detectors have)
import CrashKit
import Dispatch
import Foundation

@inline(never) func blockAsleep(_ seconds: Double) {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end { usleep(useconds_t(max(1, min(900_000, end.timeIntervalSinceNow * 1_000_000)))) }
}

@inline(never) func blockAtWork(_ seconds: Double) {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {}
}

/// Runs jobs on a thread of its own, one after the other.
final class ThreadExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [() -> Void] = []

  init() {
    Thread.detachNewThread { [self] in
      while true {
        condition.lock()
        while jobs.isEmpty { condition.wait() }
        let job = jobs.removeFirst()
        condition.unlock()
        job()
      }
    }
  }

  private func add(_ job: @escaping () -> Void) {
    condition.lock()
    jobs.append(job)
    condition.signal()
    condition.unlock()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    add { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

final class TaskThreadExecutor: TaskExecutor, @unchecked Sendable {
  private let queue = DispatchQueue(label: "probe.tasks")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

actor Ledger {
  func book(_ seconds: Double) {
    print("hung thread \(threadID())")
    blockAsleep(seconds)
  }
}

actor ThreadLedger {
  private let executor: ThreadExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  init(_ executor: ThreadExecutor) { self.executor = executor }
  func book(_ seconds: Double) {
    print("hung thread \(threadID())")
    blockAsleep(seconds)
  }
}

@MainActor func hangMainActor(_ seconds: Double) {
  print("hung thread \(threadID())")
  blockAtWork(seconds)
}

/// As the kernel names the calling thread: /proc/thread-self leads to PID/task/TID.
func threadID() -> String {
  (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?.split(separator: "/").last
    .map(String.init) ?? ""
}

/// How many threads the process has of that name.
func threads(named name: String) -> Int {
  ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).count { thread in
    (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "\(name)\n"
  }
}

/// Blocks so many threads of the pool, and returns when their tasks have run.
func blockPool(_ count: Int, _ block: @escaping @Sendable () -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<count { group.addTask { block() } }
  }
}

/// Whether `start` gave a detector. One that is not kept goes on.
func started(_ detector: CrashKit.HangDetector?) { if detector == nil { exit(69) } }

@main struct Main {
  static let threshold = Duration.milliseconds(200)

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    guard arguments.count == 2, let seconds = Double(arguments[1]) else { exit(64) }
    try CrashKit.install()
    // The detectors are armed by the time that something hangs.
    let rest = Duration.milliseconds(800)
    let processors = ProcessInfo.processInfo.activeProcessorCount
    switch arguments[0] {
    case "main-actor":
      started(.start(threshold: threshold, actor: MainActor.shared))
      try await Task.sleep(for: rest)
      hangMainActor(seconds)
    case "actor":
      let ledger = Ledger()
      started(.start(threshold: threshold, actor: ledger))
      try await Task.sleep(for: rest)
      await ledger.book(seconds)
    case "thread-actor":
      let executor = ThreadExecutor()
      started(.start(threshold: threshold, executor: executor))
      try await Task.sleep(for: rest)
      await ThreadLedger(executor).book(seconds)
    case "thread-actor-beside":
      started(.start(threshold: threshold, executor: ThreadExecutor()))
      try await Task.sleep(for: rest)
      await blockPool(processors) { blockAsleep(seconds) }
    case "task-executor":
      let executor = TaskThreadExecutor()
      started(.start(threshold: threshold, taskExecutor: executor))
      try await Task.sleep(for: rest)
      await Task(executorPreference: executor) { blockAsleep(seconds) }.value
    case "pool", "busy-pool", "one-left":
      started(.start(threshold: threshold, poolsOf: [.medium]))
      try await Task.sleep(for: rest)
      let isBusy = arguments[0] == "busy-pool"
      await blockPool(arguments[0] == "one-left" ? processors - 1 : processors) {
        if isBusy { blockAtWork(seconds) } else { blockAsleep(seconds) }
      }
    default:
      started(.start(threshold: threshold, poolsOf: [.high, .medium, .low]))
      started(.start(threshold: threshold, actor: MainActor.shared))
      started(.start(threshold: threshold, actor: Ledger()))
      started(.start(threshold: threshold, executor: ThreadExecutor()))
      try await Task.sleep(for: .seconds(seconds))
      print("detectors \(threads(named: "crashkit.hang"))")
    }
    // The heartbeat that waited runs, and the report is written anew.
    try await Task.sleep(for: .milliseconds(400))
  }
}
