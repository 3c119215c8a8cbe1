import Dispatch
import Logging
import Synchronization
import Watcher

extension Watcher {
  /// Keeps the events of the three managers, and their thresholds, in a journal: thresholds that were kept are set, and
  /// from here on every event and every other threshold is written down, until the keeper is closed or let go.
  ///
  /// Call it after `Watcher.configure`: thresholds that were kept replace those that the program sets.
  ///
  /// - Throws: ``Watcher/Journal/JournalError``, where the file is of a newer version, of another program, or cannot be
  ///   written.
  public static func keepJournal(at path: String, retention: Journal.Retention = .init()) throws -> JournalKeeper {
    try JournalKeeper(
      Journal(path: path, retention: retention), events: eventProvider,
      managers: [cpuLoadManager, memoryLoadManager, batteryLevelManager])
  }

  /// Writes events and thresholds to a journal as they come. Writes happen on a queue of its own; one that fails is logged,
  /// and the next is tried again. May be used from any thread.
  public final class JournalKeeper: Sendable {
    /// Where they are kept.
    public let journal: Journal
    private let queue = DispatchQueue(label: "watcher.journal", qos: .utility)
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let running = DispatchGroup()
    private let reader = Reader()
    /// One for each thing that is kept, since what is kept of one says nothing of another.
    private let failures: [Failure]
    private static let logger = Logger(label: "watcher.journal")

    /// Sets the managers' thresholds to those that were kept, and begins to write.
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

    /// Why the last event, or the last threshold of a metric, was not kept; `nil` if all of them were.
    public var trouble: String? { failures.lazy.compactMap { $0.reason.withLock { $0 } }.first }

    /// Waits until all that has come is written, ends the keeping, and closes the journal: the last thing that a program
    /// does with it. Without it nothing is lost of what was written, but SQLite's files beside the journal stay. Blocks
    /// for as long as the writing takes; a second call does nothing.
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
