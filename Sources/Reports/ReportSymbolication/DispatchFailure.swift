import CrashReportModel

/// Why libdispatch stopped the program. On Linux it traps without a message, but each check has a function of its own
/// (libdispatch's src/queue.c, semaphore.c and object.c, and what Swift 6.3's library was seen to do).
enum DispatchFailure {
  /// The reason, if the innermost frames of a crashed thread's symbolicated stack are libdispatch's.
  static func cause(of frames: [CrashReport.Frame]) -> CrashReport.CauseCode? {
    // A function's unlikely part is one of its own: `dispatch_group_leave.cold.1`.
    let symbols = frames.prefix(3).compactMap { frame in
      frame.symbol.map { symbol in symbol.split(separator: ".").first.map(String.init) ?? symbol }
    }
    guard let first = symbols.first else { return nil }
    return switch first {
    case "__DISPATCH_WAIT_FOR_QUEUE__": .dispatchSyncDeadlock
    case "_dispatch_assert_queue_fail" where symbols.contains("dispatch_assert_queue_not"):
      .forbiddenQueue
    case "_dispatch_assert_queue_fail": .wrongQueue
    case "dispatch_group_leave": .unbalancedGroup
    case "_dispatch_semaphore_dispose": .semaphoreInUse
    case "_dispatch_lane_resume": .unbalancedResume
    case "_dispatch_queue_xref_dispose": .suspendedRelease
    default: nil
    }
  }
}
