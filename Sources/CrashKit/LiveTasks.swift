import CCrashCapture
import LinuxCalls

extension CrashKit {
  /// Lists all live Swift tasks of this process.
  ///
  /// CrashKit searches the process's memory for them, for at most 500 ms of processor time;
  /// [Docs/tasks.md](../../Docs/tasks.md) describes how. CrashKit stops no thread. If a task moves during the search,
  /// it is not in the list, and `omitted` counts it. You may call `tasks` from any thread, but not from a signal
  /// handler. If another search or a capture runs, `tasks` waits for its end.
  ///
  /// - Throws: `TaskSearchError` if there is no list.
  public static func tasks() throws(TaskSearchError) -> LiveTasks {
    var found: [LiveTask] = []
    var result = ck_live_tasks()
    withUnsafeMutablePointer(to: &found) { list in
      ck_live_tasks_visit(
        { list, task in
          guard let list, let task else { return }
          list.assumingMemoryBound(to: [LiveTask].self).pointee.append(LiveTask(task.pointee))
        }, list, &result)
    }
    if let why = result.why_none { throw TaskSearchError(.unknownRuntime(String(cString: why))) }
    switch result.error {
    case 0: return LiveTasks(found, omitted: Int(result.omitted), isComplete: !result.is_cut)
    case Int32(CK_LIVE_NOT_INSTALLED): throw TaskSearchError(.notInstalled)
    case Int32(CK_LIVE_CRASHING): throw TaskSearchError(.crashing)
    default: throw TaskSearchError(.system(result.error))
    }
  }
}

extension CrashKit.TaskSearchError: CustomStringConvertible {
  /// The reason of the failure, in a few words.
  public var description: String {
    switch reason {
    case .unknownRuntime(let why): why
    case .notInstalled: CrashKit.CaptureError(.notInstalled).description
    case .crashing: CrashKit.CaptureError(.crashing).description
    case .system(let code): "tasks cannot be listed: \(errorText(code))"
    }
  }
}

extension CrashKit.LiveTask {
  init(_ task: ck_live_task) {
    let facts = task.facts
    id = facts.identity.id
    name = withUnsafeBytes(of: facts.identity.name) { bytes in
      let size = Int(facts.identity.name_size)
      return size == 0 ? nil : String(decoding: bytes.prefix(size), as: UTF8.self)
    }
    parent = facts.parent == 0 ? nil : facts.parent
    priority = TaskPriority(rawValue: facts.priority)
    isCancelled = facts.is_cancelled
    unmovedFor = task.unmoved_ns == 0 ? nil : .nanoseconds(Int64(clamping: task.unmoved_ns))
    resumeAddresses = UnsafeBufferPointer(start: task.addresses, count: task.address_count).map { UInt($0) }
    switch facts.state {
    case CK_TASK_RUNNING: state = .running
    case CK_TASK_ENQUEUED: state = .enqueued
    default: state = .suspended
    }
    let awaitedID = facts.awaited_id == 0 ? nil : facts.awaited_id
    switch facts.awaits {
    case CK_AWAITS_NOTHING: awaits = nil
    case CK_AWAITS_TASK: awaits = .task(awaitedID)
    case CK_AWAITS_ASYNC_LET: awaits = .asyncLet(awaitedID)
    case CK_AWAITS_GROUP: awaits = .group
    case CK_AWAITS_CONTINUATION: awaits = .continuation
    case CK_AWAITS_ACTOR: awaits = .actor(UInt(facts.awaited_address))
    default: awaits = .unknown
    }
  }
}
