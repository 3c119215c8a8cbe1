import CrashReportModel

/// Why libdispatch stopped the program. On Linux it traps without a word; the functions in which it does so tell
/// (libdispatch's src/queue.c, semaphore.c and object.c, and what Swift 6.3's library was seen to do).
enum DispatchFailure {
  /// The reason, where the innermost frames of a crashed thread's symbolicated stack are libdispatch's.
  static func cause(of frames: [CrashReport.Frame]) -> String? {
    // A function's unlikely part is one of its own: `dispatch_group_leave.cold.1`.
    let symbols = frames.prefix(3).compactMap { frame in
      frame.symbol.map { symbol in symbol.split(separator: ".").first.map(String.init) ?? symbol }
    }
    guard let first = symbols.first else { return nil }
    return switch first {
    case "__DISPATCH_WAIT_FOR_QUEUE__": "deadlock: sync onto a queue on which the thread runs already"
    case "_dispatch_assert_queue_fail" where symbols.contains("dispatch_assert_queue_not"):
      "work ran on the queue that it asserts not to be on"
    case "_dispatch_assert_queue_fail": "work ran on another queue or actor than the one that it asserts to be on"
    case "dispatch_group_leave": "a dispatch group was left more often than entered"
    case "_dispatch_semaphore_dispose": "a dispatch semaphore was released while in use"
    case "_dispatch_lane_resume": "a dispatch queue or source was resumed more often than suspended"
    case "_dispatch_queue_xref_dispose": "a dispatch queue or source was released while suspended or inactive"
    default: nil
    }
  }
}
