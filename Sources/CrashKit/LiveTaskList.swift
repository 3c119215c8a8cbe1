extension CrashKit {
  /// The Swift tasks of this process at one look, the oldest first.
  public struct LiveTasks: Sendable, RandomAccessCollection {
    private let tasks: [LiveTask]
    /// How many tasks are missing from the list, because they moved during the search, or because there were more than
    /// 131,072.
    public let omitted: Int
    /// Whether CrashKit searched all memory. If not, it ran out of time, and more tasks than `omitted` may be missing.
    public let isComplete: Bool

    init(_ tasks: [LiveTask], omitted: Int, isComplete: Bool) {
      self.tasks = tasks
      self.omitted = omitted
      self.isComplete = isComplete
    }

    /// The position of the first task: 0.
    public var startIndex: Int { tasks.startIndex }
    /// The position after the last task.
    public var endIndex: Int { tasks.endIndex }
    /// The task at a position.
    public subscript(position: Int) -> LiveTask { tasks[position] }
  }

  /// Why `tasks` failed.
  public struct TaskSearchError: Error, Sendable, Hashable {
    /// The reason of the failure.
    public enum Reason: Sendable, Hashable {
      /// `install` was not called, or CrashKit is turned off. If `isSupported` is false, CrashKit is always off.
      case notInstalled
      /// Another thread has crashed, and its report has priority.
      case crashing
      /// CrashKit cannot read the tasks of the program's Swift runtime. The value is the reason.
      case unknownRuntime(String)
      /// The system refused memory. The value is the `errno`.
      case system(Int32)
    }

    /// The reason of the failure.
    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
  }
}
