import CrashReportModel

/// What a task waits for, if only the names of its innermost frames say so: for the runtime both are continuations.
enum AwaitedBySymbol {
  /// So many frames of the standard library stand inside of the program's own at most.
  private static let innermost = 12

  /// The task with `awaits` as its frames name it.
  static func named(_ task: CrashReport.LiveTask) -> CrashReport.LiveTask {
    guard task.awaits?.kind == .continuation, let kind = kind(of: task.frames ?? []) else { return task }
    var task = task
    task.awaits?.kind = kind
    return task
  }

  private static func kind(of frames: [CrashReport.Frame]) -> CrashReport.LiveTask.Awaited.Kind? {
    let library = frames.prefix(innermost).prefix { $0.isSystem == true }
    for name in library.compactMap({ $0.description ?? $0.symbol }) {
      if isSleep(name) { return .sleep }
      if isStream(name) { return .stream }
    }
    return nil
  }

  // swift, stdlib/public/Concurrency/TaskSleep.swift, TaskSleepDuration.swift, Clock.swift.
  private static func isSleep(_ name: String) -> Bool {
    name.contains("Task<>.sleep(") || name.contains("Clock.sleep(") || name.contains("Task<>._sleep(")
  }

  // swift, stdlib/public/Concurrency/AsyncStream.swift, AsyncStreamBuffer.swift.
  private static func isStream(_ name: String) -> Bool {
    name.contains("Stream.Iterator.next(") || name.contains("Stream._Storage.next(")
  }
}
