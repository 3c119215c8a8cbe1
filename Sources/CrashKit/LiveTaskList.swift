extension CrashKit {
  /// The Swift tasks of this process at one look, the oldest first.
  public struct LiveTasks: Sendable, RandomAccessCollection {
    private let tasks: [LiveTask]
    /// How many tasks are missing from the list: they moved while it was made, or there were more than 131,072.
    public let omitted: Int
    /// Whether CrashKit searched all memory. If not, the time was up, and more tasks than `omitted` may be missing.
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

  /// Why `tasks` made no list.
  public struct TaskSearchError: Error, Sendable, Hashable {
    /// What stood in the way.
    public enum Reason: Sendable, Hashable {
      /// `install` was not called, or CrashKit is switched off, as it always is if `isSupported` is false.
      case notInstalled
      /// Another thread has crashed, and its report goes first.
      case crashing
      /// The program has no Swift runtime whose tasks CrashKit can read; with the reason.
      case unknownRuntime(String)
      /// The system refused memory; with the `errno`.
      case system(Int32)
    }

    /// What stood in the way.
    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
  }
}
