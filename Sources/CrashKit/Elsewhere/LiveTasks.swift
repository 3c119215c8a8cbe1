extension CrashKit {
  /// The Swift tasks of this process at one look, the oldest first.
  public struct LiveTasks: Sendable, RandomAccessCollection {
    private let tasks: [LiveTask]
    /// How many tasks are missing from the list.
    public let omitted: Int
    /// Whether CrashKit searched all memory.
    public let isComplete: Bool

    public var startIndex: Int { tasks.startIndex }
    public var endIndex: Int { tasks.endIndex }
    public subscript(position: Int) -> LiveTask { tasks[position] }
  }

  /// Why `tasks` made no list.
  public struct TaskSearchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stood in the way.
    public enum Reason: Sendable, Hashable {
      /// `install` was not called, or CrashKit is switched off, as it always is on this system.
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

    public var description: String { "CrashKit does not work on this system" }
  }

  /// Lists no tasks.
  ///
  /// - Throws: `TaskSearchError` with the reason `notInstalled`, always.
  public static func tasks() throws(TaskSearchError) -> LiveTasks {
    throw TaskSearchError(reason: .notInstalled)
  }
}
