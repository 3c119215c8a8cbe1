import CCrashCapture
import Dispatch

extension CrashKit {
  /// Watches something that runs work, and reports when it stops running what it is given: a queue, an actor, an
  /// executor, or the threads that run Swift tasks. `CrashKitNIO` watches event loops. ``watchTasks(notMovedFor:where:)``
  /// watches the tasks themselves.
  ///
  /// One thread, which all detectors share, puts a heartbeat on each subject every half threshold (at least 20 ms, at
  /// most a second), unless it sees that nothing runs there. If a heartbeat does not run within the threshold, that is a
  /// hang: a report of all threads is written at once, of the kind `hang` (of the pool, `starvedPool`), and the hung thread
  /// is sampled every 50 ms; each 20 samples the interval doubles; 128 are kept. When the subject runs again, the report is
  /// written anew in the place of the first, with the hang's length. A process that is killed while it hangs leaves the
  /// first one. One line on stderr names the report; `CRASHKIT_OPTIONS=summary=no` leaves it out.
  ///
  /// No hang is reported while the process is stopped, suspended or traced by a debugger, nor if it gets so little
  /// processor time that this thread itself is late, nor before the first heartbeat has run, which `start` puts there. A
  /// queue that the program suspends looks hung. Nothing is symbolicated, and no thread is held up.
  public final class HangDetector: Sendable {
    private let end: @Sendable () -> Void

    private init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    /// Starts to watch a queue. Several detectors may run, on one queue or on several. May be called from any thread.
    ///
    /// `MainActor` runs on the main queue, with an asynchronous `main` too.
    ///
    /// - Parameters:
    ///   - threshold: how long the queue may take to run something; at least 20 ms.
    ///   - queue: a serial queue, the main queue by default.
    /// - Returns: the detector; `nil` where CrashKit is not installed or the system refuses memory or a thread. It goes on
    ///   until `stop()`, also where nobody keeps it.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), queue: DispatchQueue = .main
    ) -> HangDetector? {
      start(watching: [QueueSubject(queue)], threshold: threshold)
    }

    /// Starts to watch an actor, which it keeps alive until `stop()`. May be called from any thread.
    ///
    /// If several threads run the actor, as those of the pool do, the report cannot name the one that runs it: it then has
    /// no samples, and the stacks and tasks of all threads. An actor of the pool also looks hung if the pool starves.
    ///
    /// - Parameters:
    ///   - threshold: how long the actor may take to run something; at least 20 ms.
    ///   - actor: any actor, with an executor of its own or without one.
    /// - Returns: the detector, as for a queue.
    @discardableResult
    public static func start(threshold: Duration = .milliseconds(250), actor: any Actor) -> HangDetector? {
      let subject: any HangSubject = actor is MainActor ? QueueSubject(.main) : IsolatedSubject(actor)
      return start(watching: [subject], threshold: threshold)
    }

    /// Starts to watch an executor of actors. May be called from any thread.
    ///
    /// If several threads run its jobs, the report cannot name the one that hangs: it then has no samples.
    ///
    /// - Parameters:
    ///   - threshold: how long the executor may take to run a job; at least 20 ms.
    ///   - executor: the executor; it is kept until `stop()`.
    /// - Returns: the detector, as for a queue.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), executor: any SerialExecutor
    ) -> HangDetector? {
      start(watching: [IsolatedSubject(executor)], threshold: threshold)
    }

    /// Starts to watch an executor of tasks. May be called from any thread.
    ///
    /// An executor with several threads looks hung when none of them takes another job.
    ///
    /// - Parameters:
    ///   - threshold: how long the executor may take to run a job; at least 20 ms.
    ///   - taskExecutor: the executor; it is kept until `stop()`.
    /// - Returns: the detector, as for a queue.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), taskExecutor: any TaskExecutor
    ) -> HangDetector? {
      start(watching: [IsolatedSubject(taskExecutor)], threshold: threshold)
    }

    /// Starts to watch the threads that run Swift tasks: they starve if all of them block or compute without an end. May
    /// be called from any thread.
    ///
    /// On Linux each priority has threads of its own, as many as processors. Each of `priorities` is watched. The report,
    /// of the kind `starvedPool`, names the pool's threads, and its first thread is sampled.
    ///
    /// - Parameters:
    ///   - threshold: how long a task may wait until it runs; at least 20 ms.
    ///   - priorities: those of the tasks; `medium` is that of tasks without a priority.
    /// - Returns: the detector, as for a queue.
    @discardableResult
    public static func start(
      threshold: Duration = .seconds(1), poolsOf priorities: [TaskPriority]
    ) -> HangDetector? {
      start(watching: priorities.map { PoolSubject($0) }, threshold: threshold)
    }

    /// Watches all Swift tasks, and reports those that are stuck.
    ///
    /// A thread of its own looks at all tasks now and then, as ``CrashKit/tasks()`` does. A task is stuck if at least three
    /// looks and `limit` have found it where it was, with the same memory, and if it waits for nothing that goes on by
    /// itself. One report, of the kind `stuckTask`, has all tasks and marks the stuck ones; one line on stderr names it.
    /// Each place at which tasks are stuck is reported once. A task that waits for a stuck one is no finding of its own.
    ///
    /// Tasks that sleep (`Task.sleep`, and the clocks of the standard library) are left out, as are those that wait for a
    /// thread. A task that comes back to the same place with the same values before each look counts as unmoved, and a
    /// task may well wait for hours for a signal or an idle connection: choose a `limit` longer than the longest quiet time
    /// of a healthy task, or leave such tasks out. Once the looks have taken 30 ms, they take a thousandth of a
    /// processor at most; the rest between two of them is a quarter of `limit`, at most 10 s, or longer in a large program.
    ///
    /// - Parameters:
    ///   - limit: how long a task may stay at one place; at least 200 ms.
    ///   - isWatched: whether a task is watched; all are by default. Called on that thread, for each task at each look.
    /// - Returns: the detector; `nil` if CrashKit is not installed, if `CRASHKIT_OPTIONS=tasks=no` is set, or if the system
    ///   refuses a thread. It goes on until `stop()`, even if the program keeps no reference to it. May be called from any
    ///   thread.
    @discardableResult
    public static func watchTasks(
      notMovedFor limit: Duration, where isWatched: @escaping @Sendable (LiveTask) -> Bool = { _ in true }
    ) -> HangDetector? {
      guard ck_tasks_can_be_seen() else { return nil }
      let watch = TaskWatch(limit: max(Times.nanoseconds(of: limit), TaskWatch.leastLimit), isWatched)
      return watch.start() ? HangDetector(watch.stop) : nil
    }

    /// Starts to watch subjects of any kind.
    package static func start(watching subjects: [any HangSubject], threshold: Duration) -> HangDetector? {
      guard let watchdog = Watchdog(subjects, threshold: threshold), watchdog.start() else { return nil }
      return HangDetector(watchdog.stop)
    }

    /// Stops watching. A hang under way is reported as not recovered. May be called from any thread, more than once.
    public func stop() { end() }
  }
}
