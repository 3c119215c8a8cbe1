extension CrashReport {
  /// The report's subject: the thread that crashed, hung or asked for the report, else the first thread.
  package var aboutThread: Thread? {
    let threads = threads ?? []
    if let crashed = threads.first(where: { $0.crashed == true }) { return crashed }
    if let hung = hang?.thread { return threads.first { $0.id == hung } }
    return threads.first { $0.capturedBy == "caller" } ?? threads.first
  }

  /// The task that the report is about: the first stuck task.
  package var aboutTask: LiveTask? {
    guard kind == .stuckTask, let tasks, let stuck = tasks.first(where: { $0.isStuck == true }) else { return nil }
    return stuck.frames == nil ? tasks.first { $0.id != nil && $0.id == stuck.framesOf } : stuck
  }

  /// Whether the process ran the body of an exit test. Swift Testing starts a process for each exit test, and judges
  /// its end.
  package var isOfExitTest: Bool {
    if ending?.isExitTest == true { return true }
    // `ExitTest.callAsFunction()`, which runs the body.
    let function = "$s7Testing8ExitTestV14callAsFunction"
    let stacks = (threads ?? []).map(\.frames) + (tasks ?? []).map(\.frames)
    return stacks.contains { $0?.contains { $0.symbol?.hasPrefix(function) == true } == true }
  }

  /// The stack that the report is about.
  package var aboutFrames: [Frame]? { aboutTask?.frames ?? aboutThread?.frames }
}
