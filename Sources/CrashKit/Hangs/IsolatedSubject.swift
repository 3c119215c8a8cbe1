/// An actor, or an executor.
///
/// A heartbeat is a task that starts on the actor's executor: it does not pass through the pool before.
final class IsolatedSubject: HangSubject, @unchecked Sendable {
  let kind: HangSubjectKind
  let name: String
  private let target: Target
  // Used by turns, as the protocol says.
  private var only = OnlyThread()
  private var isOnWorker = false
  /// Set before the first heartbeat runs, and read after that.
  private var entry: Entry?

  var words: String { "\(kind == .actor ? "actor" : "executor") \(name)" }
  /// A worker of libdispatch runs whatever comes: that it ran all heartbeats says nothing of the next job.
  var thread: Int32? { isOnWorker ? nil : only.thread }

  init(_ actor: any Actor) {
    kind = .actor
    name = String(describing: type(of: actor))
    target = .actor(actor)
  }

  init(_ executor: any SerialExecutor) {
    kind = .executor
    name = String(describing: type(of: executor))
    target = .actor(Stand(executor))
  }

  init(_ executor: any TaskExecutor) {
    kind = .executor
    name = String(describing: type(of: executor))
    target = .taskExecutor(executor)
  }

  func put(every interval: UInt64, _ heartbeat: @escaping @Sendable () -> Bool) {
    switch target {
    case .taskExecutor(let executor): Task.detached(executorPreference: executor) { _ = heartbeat() }
    case .actor(let actor):
      if let entry { return entry.start() }
      Task.detached { [self] in
        let entry = await Entry.make(on: actor, running: heartbeat)
        self.entry = entry
        entry.start()
      }
    }
  }

  func learn() {
    only.learn()
    isOnWorker = isOnWorker || ThreadName.own.isOfWorker
  }

  private enum Target {
    case actor(any Actor)
    case taskExecutor(any TaskExecutor)
  }

  /// An actor whose executor is the one that is watched.
  private actor Stand {
    private let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    init(_ executor: any SerialExecutor) { self.executor = executor }
  }

  /// A function that is isolated to an actor. A task that starts with it runs on the actor's executor.
  private struct Entry: @unchecked Sendable {
    private let function: @isolated(any) () async -> Void

    static func make(on actor: isolated any Actor, running heartbeat: @escaping @Sendable () -> Bool) -> Entry {
      Entry(
        function: {
          _ = actor
          _ = heartbeat()
        })
    }

    func start() {
      // It is the actor and a function that may run anywhere.
      Task.detached(operation: unsafeBitCast(function, to: (@isolated(any) @Sendable () async -> Void).self))
    }
  }
}
