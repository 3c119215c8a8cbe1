import CDiagdemoCrashes
import CrashKit
import Dispatch

extension CrashKind {
  /// Deaths in Swift tasks, each of them in a task with a name.
  static let asynchronous: [CrashKind] = [
    named("async-deep", "unwrap nil three awaits deep", "fetch profile") { await AsyncCrashes.fetch(4711) },
    named("async-actor", "index out of range inside an actor", "look up") { await AsyncCrashes.Store().entry(7) },
    named("async-task-group", "unwrap nil in a child of a task group", "gather") { await AsyncCrashes.gather() },
    named("async-detached", "unwrap nil in a detached task that was suspended", "caller") {
      await AsyncCrashes.detach()
    },
    named("main-actor-isolation", "call MainActor.assumeIsolated off the main actor", "redraw") {
      await AsyncCrashes.assumeMainActor()
    },
    named("continuation-twice", "resume a continuation twice", "wait for answer") { await AsyncCrashes.resumeTwice() },
  ]

  private static func named(
    _ name: String, _ summary: String, _ task: String, body: @escaping @Sendable () async -> Void
  ) -> CrashKind {
    CrashKind(
      name, summary,
      .asynchronous {
        await AsyncCrashes.keepBystander()
        await Task(name: task, operation: body).value
      })
  }
}

/// Ways to die inside of Swift tasks. Never inlined: each function stands in the report under its own name.
enum AsyncCrashes {
  // MARK: - What the program knows of its tasks

  /// Puts the current task's number into the report by another way than the capture's.
  private static func noteTask() {
    CrashKit.setAttribute("task", "\(crash_current_task_id())")
  }

  /// Runs tasks on a thread beside Swift's own: one that waits there takes no place from the others.
  private final class SideExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "side")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  private static let side = SideExecutor()

  /// Another task, on a thread of its own as long as the program lives.
  static func keepBystander() async {
    await withCheckedContinuation { started in
      Task.detached(name: "bystander", executorPreference: side) {
        CrashKit.setAttribute("bystander", "\(crash_current_task_id())")
        waitForever(after: started)
      }
    }
  }

  @inline(never)
  private static func waitForever(after started: CheckedContinuation<Void, Never>) {
    started.resume()
    DispatchSemaphore(value: 0).wait()
  }

  // MARK: - Three awaits deep

  @inline(never)
  static func fetch(_ user: Int) async {
    printToStandardError(await profile(of: user))
  }

  @inline(never)
  private static func profile(of user: Int) async -> String {
    let text = await download(user)
    return "profile: \(text)\n"
  }

  @inline(never)
  private static func download(_ user: Int) async -> String {
    let text = await decode(user == 0 ? "text" : nil)
    return text + "!"
  }

  @inline(never)
  private static func decode(_ text: String?) async -> String {
    await Task.yield()
    if text == nil { noteTask() }
    return text!
  }

  // MARK: - Inside an actor

  actor Store {
    private var entries = [1, 2, 3]

    @inline(never)
    func entry(_ index: Int) async {
      await load()
      printToStandardError("\(at(index))\n")
    }

    @inline(never)
    private func load() async {
      await Task.yield()
      entries.append(4)
    }

    @inline(never)
    private func at(_ index: Int) -> Int {
      noteTask()
      return entries[index]
    }
  }

  // MARK: - In a child of a task group

  @inline(never)
  static func gather() async {
    await withTaskGroup(of: String.self) { group in
      for part in 1...3 {
        group.addTask(name: "part \(part)") { await piece(part) }
      }
      for await text in group { printToStandardError(text) }
    }
  }

  @inline(never)
  private static func piece(_ part: Int) async -> String {
    await Task.yield()
    return await decode(part == 2 ? nil : "part \(part)\n")
  }

  // MARK: - In a detached task

  @inline(never)
  static func detach() async {
    let task = Task.detached(name: "background save") { await save() }
    await task.value
  }

  @inline(never)
  private static func save() async {
    try? await Task.sleep(nanoseconds: 1_000_000)
    printToStandardError(await decode(nil))
  }

  // MARK: - What the runtime checks

  @MainActor
  private static var redraws = 0

  @inline(never)
  static func assumeMainActor() async {
    await Task.yield()
    redraw()
  }

  @inline(never)
  private static func redraw() {
    noteTask()
    MainActor.assumeIsolated { redraws += 1 }
  }

  @inline(never)
  static func resumeTwice() async {
    await Task.yield()
    noteTask()
    await withCheckedContinuation { continuation in
      continuation.resume()
      continuation.resume()
    }
  }
}
