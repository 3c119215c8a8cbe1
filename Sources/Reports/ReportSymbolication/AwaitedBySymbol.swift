import CrashReportModel

/// What a task waits for, if only the names of its innermost frames say so: for the runtime both are continuations.
enum AwaitedBySymbol {
  /// At most this many frames of the standard library are further in than the program's own frames.
  private static let innermost = 12

  /// The tasks with `awaits` as their frames name it; a task that has another one's frames is named as that one.
  static func named(_ tasks: [CrashReport.LiveTask]) -> [CrashReport.LiveTask] {
    let examples = tasks.compactMap { task in
      task.id.flatMap { id in kind(of: task.frames ?? []).map { (id, $0) } }
    }
    let kinds = Dictionary(examples, uniquingKeysWith: { first, _ in first })
    return tasks.map { task in
      guard task.awaits?.kind == .continuation, let kind = (task.framesOf ?? task.id).flatMap({ kinds[$0] }) else {
        return task
      }
      var task = task
      task.awaits?.kind = kind
      return task
    }
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
