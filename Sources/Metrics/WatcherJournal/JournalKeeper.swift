import Dispatch
import Logging
import Synchronization
import Watcher

extension Watcher {
  /// Opens the journal in the file at `path`, and makes a keeper for it. The keeper first reads the stored thresholds
  /// from the journal and sets them in the three managers. It then writes every event and every changed threshold of
  /// these managers to the journal, until you close or release the keeper.
  ///
  /// Call it after `Watcher.configure`: stored thresholds replace those that the program sets.
  ///
  /// - Throws: ``Watcher/Journal/JournalError``, if the file is from a newer version or another program, or cannot be
  ///   written.
  public static func keepJournal(at path: String, retention: Journal.Retention = .init()) throws -> JournalKeeper {
    try JournalKeeper(
      Journal(path: path, retention: retention), events: eventProvider,
      managers: [cpuLoadManager, memoryLoadManager, batteryLevelManager])
  }

  /// Writes events, and changes of thresholds, to a journal when they occur. It writes on its own queue. If a write
  /// fails, the keeper logs the reason and continues with the next write. You may use a keeper from any thread.
  public final class JournalKeeper: Sendable {
    /// The journal.
    public let journal: Journal
    private let queue = DispatchQueue(label: "watcher.journal", qos: .utility)
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let running = DispatchGroup()
    private let reader = Reader()
    /// One for each kind of data that is written, because a success with one kind does not mean a success with another.
    private let failures: [Failure]
    private static let logger = Logger(label: "watcher.journal")

    /// Restores the managers' stored thresholds, and begins to write.
    ///
    /// - Throws: ``Watcher/Journal/JournalError``.
    public init(_ journal: Journal, events: EventProvider, managers: [any MetricManagerUseCase]) throws {
      self.journal = journal
      // Before any threshold is set: that may be an event already.
      let iterator = events.events.makeAsyncIterator()
      let eventFailure = Failure()
      let thresholdFailures = managers.map { _ in Failure() }
      failures = [eventFailure] + thresholdFailures
      var tasks = [keep(iterator, failure: eventFailure) { try journal.record($0) }]
      for (manager, failure) in zip(managers, thresholdFailures) {
        let metric = manager.metric
        if let kept = try journal.threshold(of: metric) { manager.threshold = kept }
        tasks.append(keepThresholds(of: manager, failure: failure))
      }
      self.tasks.withLock { [tasks] in $0 = tasks }
    }

    deinit { cancel() }

    /// Why the keeper could not write the last event, or the last threshold of one of the metrics. `nil` if the keeper
    /// wrote the last event and all last thresholds.
    public var trouble: String? { failures.lazy.compactMap { $0.reason.withLock { $0 } }.first }

    /// Waits until all events are written, stops writing, and closes the journal. Call it last. If you never call it,
    /// no written data is lost, but SQLite's additional files stay next to the journal. `close` blocks while events are
    /// written. A second call does nothing.
    @available(*, noasync, message: "it waits for tasks")
    public func close() {
      cancel()
      // Streams hand out what is in them first, even to a task that was cancelled.
      running.wait()
      queue.sync { journal.close() }
    }

    private func cancel() {
      for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    private func keepThresholds(of manager: any MetricManagerUseCase, failure: Failure) -> Task<Void, Never> {
      let metric = manager.metric
      let journal = journal
      let known = manager.threshold
      // The first is the one that there was.
      let last = Mutex(known)
      return keep(manager.thresholdPublisher.makeAsyncIterator(), failure: failure) { threshold in
        let isNew = last.withLock { last in
          defer { last = threshold }
          return last != threshold
        }
        if isNew { try journal.keepThreshold(threshold, of: metric) }
      }
    }

    private func keep<Element: Sendable>(
      _ iterator: sending AsyncStream<Element>.AsyncIterator, failure: Failure,
      _ write: @escaping @Sendable (Element) throws -> Void
    ) -> Task<Void, Never> {
      let queue = queue
      let running = running
      running.enter()
      return Task(executorPreference: reader) {
        defer { running.leave() }
        var iterator = iterator
        while let element = await iterator.next() {
          queue.async {
            do {
              try write(element)
              failure.reason.withLock { $0 = nil }
            } catch {
              failure.reason.withLock { $0 = "\(error)" }
              Self.logger.error("not kept", metadata: ["reason": .string("\(error)")])
            }
          }
        }
      }
    }

    private final class Failure: Sendable {
      let reason = Mutex<String?>(nil)
    }

    /// Where the keeper's tasks run: the threads that all tasks share may every one of them wait in `close()`.
    private final class Reader: TaskExecutor {
      private let queue = DispatchQueue(label: "watcher.journal.reader", qos: .utility)

      func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      }
    }
  }
}
