import CCrashCapture
import Dispatch

extension CrashKit {
  /// Watches a subject: a queue, an actor, an executor, or the pool, which is the group of threads that run Swift
  /// tasks. The detector writes a report if the subject stops running its work. `CrashKitNIO` watches event loops.
  /// ``watchTasks(notMovedFor:where:)`` watches the tasks themselves.
  ///
  /// All detectors share one thread, the watchdog. A heartbeat is a short closure that the watchdog enqueues on each
  /// subject. It enqueues heartbeats at a regular interval: half the threshold, but at least 20 ms and at most a
  /// second. It enqueues none while it sees that the subject is idle. If a subject does not run a heartbeat within the
  /// threshold, this is a hang. The watchdog then immediately writes a report of all threads, of the kind `hang` (for
  /// the pool, `starvedPool`). It samples the hung thread every 50 ms, doubles the interval after each 20 samples, and
  /// keeps at most 128 samples. When the subject runs again, a new report with the hang's length replaces the first
  /// report. If the process is killed while the subject hangs, the first report stays. One line on stderr names the
  /// report; `CRASHKIT_OPTIONS=summary=no` turns this line off.
  ///
  /// A detector reports no hang in these cases:
  ///
  /// - The process is stopped, suspended or traced by a debugger.
  /// - The process gets so little processor time that the watchdog itself is late.
  /// - The first heartbeat, which `start` enqueues, has not yet run.
  ///
  /// A queue that the program suspends looks hung. A detector blocks no thread, and its reports have addresses without
  /// function names.
  public final class HangDetector: Sendable {
    private let end: @Sendable () -> Void

    private init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    /// Starts to watch a queue. You may start several detectors, for the same queue or for different queues. You may
    /// call this function from any thread.
    ///
    /// `MainActor` runs on the main queue, also with an asynchronous `main`.
    ///
    /// - Parameters:
    ///   - threshold: how long the queue may take to run something; at least 20 ms.
    ///   - queue: a serial queue, the main queue by default.
    /// - Returns: the detector; `nil` if CrashKit is not installed, or if the system refuses memory or a thread. The
    ///   detector runs until `stop()`, even if the program keeps no reference to it.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), queue: DispatchQueue = .main
    ) -> HangDetector? {
      start(watching: [QueueSubject(queue)], threshold: threshold)
    }

    /// Starts to watch an actor, and keeps it alive until `stop()`. You may call this function from any thread.
    ///
    /// If several threads run the actor, such as the threads of the pool, the report cannot name the right thread. The
    /// report then has no samples, but it has the stacks and tasks of all threads. An actor that runs on the pool also
    /// looks hung if the pool starves.
    ///
    /// - Parameters:
    ///   - threshold: how long the actor may take to run something; at least 20 ms.
    ///   - actor: any actor, with or without its own executor.
    /// - Returns: the detector, as for a queue.
    @discardableResult
    public static func start(threshold: Duration = .milliseconds(250), actor: any Actor) -> HangDetector? {
      let subject: any HangSubject = actor is MainActor ? QueueSubject(.main) : IsolatedSubject(actor)
      return start(watching: [subject], threshold: threshold)
    }

    /// Starts to watch an executor of actors. You may call this function from any thread.
    ///
    /// If several threads run the executor's jobs, the report cannot name the hung thread, and has no samples.
    ///
    /// - Parameters:
    ///   - threshold: how long the executor may take to run a job; at least 20 ms.
    ///   - executor: the executor; the detector keeps it alive until `stop()`.
    /// - Returns: the detector, as for a queue.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), executor: any SerialExecutor
    ) -> HangDetector? {
      start(watching: [IsolatedSubject(executor)], threshold: threshold)
    }

    /// Starts to watch an executor of tasks. You may call this function from any thread.
    ///
    /// An executor with several threads looks hung if none of its threads starts another job.
    ///
    /// - Parameters:
    ///   - threshold: how long the executor may take to run a job; at least 20 ms.
    ///   - taskExecutor: the executor; the detector keeps it alive until `stop()`.
    /// - Returns: the detector, as for a queue.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), taskExecutor: any TaskExecutor
    ) -> HangDetector? {
      start(watching: [IsolatedSubject(taskExecutor)], threshold: threshold)
    }

    /// Starts to watch the pool: the threads that run Swift tasks. The pool starves if all its threads block or compute
    /// without an end. You may call this function from any thread.
    ///
    /// On Linux each priority has its own threads, as many as there are processors. The detector watches each of
    /// `priorities`. The report, of the kind `starvedPool`, names the pool's threads. The detector samples the first of
    /// these threads.
    ///
    /// - Parameters:
    ///   - threshold: how long a task may wait until it runs; at least 20 ms.
    ///   - priorities: the priorities of the tasks to watch. Tasks without a priority have `medium`.
    /// - Returns: the detector, as for a queue.
    @discardableResult
    public static func start(
      threshold: Duration = .seconds(1), poolsOf priorities: [TaskPriority]
    ) -> HangDetector? {
      start(watching: priorities.map { PoolSubject($0) }, threshold: threshold)
    }

    /// Watches all Swift tasks, and reports stuck tasks.
    ///
    /// A separate thread looks at all tasks from time to time, as ``CrashKit/tasks()`` does. A task is stuck if it
    /// meets two conditions. First, at least three looks in a row found the task at the same place with the same
    /// memory, and at least `limit` has passed since the first of these looks. Second, the task does not wait for
    /// something that continues by itself. The detector writes one report, of the kind `stuckTask`, which has all tasks
    /// and marks the stuck tasks. One line on stderr names the report. The detector writes another report only if a
    /// task is stuck at a place that no report has named. It does not report a task that only waits for a stuck task.
    ///
    /// The detector leaves out sleeping tasks (`Task.sleep`, and the clocks of the standard library) and tasks that
    /// wait for a thread. Healthy tasks can look stuck. A task may leave its place between two looks and come back with
    /// the same values: the detector cannot see that the task moved. A task may also wait for hours for a signal or an
    /// idle connection. So choose a `limit` longer than the longest wait of a healthy task, or leave such tasks out
    /// with `isWatched`.
    ///
    /// The pause between two looks is a quarter of `limit`, at most 10 s. It is longer in a large program: after the
    /// first 30 ms of processor time, the looks use at most a thousandth of one processor's time.
    ///
    /// - Parameters:
    ///   - limit: how long a task may stay at one place; at least 200 ms.
    ///   - isWatched: whether a task is watched; by default, all tasks are watched. The detector calls this closure on
    ///     its own thread, for each task at each look.
    /// - Returns: the detector; `nil` if CrashKit is not installed, if `CRASHKIT_OPTIONS=tasks=no` is set, or if the
    ///   system refuses a thread. The detector runs until `stop()`, even if the program keeps no reference to it. You
    ///   may call `watchTasks` from any thread.
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

    /// Stops watching. If a hang continues at that time, the detector ends its report with `"recovered": false`. You
    /// may call this function from any thread, more than once.
    public func stop() { end() }
  }
}
