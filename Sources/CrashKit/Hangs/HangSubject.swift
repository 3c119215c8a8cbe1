import CCrashCapture
import Glibc

/// Something that runs closures, and that a detector watches.
///
/// Each heartbeat runs on the subject, and calls `learn` there. Only one user at a time may call it.
package protocol HangSubject: AnyObject, Sendable {
  /// The kind of subject.
  var kind: HangSubjectKind { get }
  /// Its name, such as the label of a queue.
  var name: String { get }
  /// Its name in a sentence, such as `main queue`.
  var words: String { get }
  /// The thread that runs it at this moment; `nil` if it is not known.
  var thread: Int32? { get }
  /// Of a pool: the name that the kernel has for its threads.
  var poolThreadName: String? { get }
  /// `false`: `put` is called for each heartbeat. `true`: it is called once, and the subject then runs the heartbeat anew
  /// after each `interval`. Asked once a heartbeat has run.
  var beatsItself: Bool { get }
  /// Whether it is known that nothing runs on it and that nothing waits for it: it then needs no heartbeat. Asked when it
  /// has run the last one.
  var isIdle: Bool { get }
  /// Whether it runs nothing any more, as after its shutdown: it is no longer watched then.
  var hasEnded: Bool { get }

  /// Makes it run a heartbeat, which returns whether the watch continues.
  func put(every interval: UInt64, _ heartbeat: @escaping @Sendable () -> Bool)
  /// Called where a heartbeat runs.
  func learn()
  /// Ends the watch: no further heartbeat runs. It may be called more than once.
  func end()
}

extension HangSubject {
  package var poolThreadName: String? { nil }
  package var beatsItself: Bool { false }
  package var isIdle: Bool { false }
  package var hasEnded: Bool { false }
  package func end() {}
}

/// The kind of subject, as a hang's report names it.
package enum HangSubjectKind: Sendable {
  case queue, executor, actor, eventLoop, pool

  var code: ck_hang_subject {
    switch self {
    case .queue: CK_HANG_QUEUE
    case .executor: CK_HANG_EXECUTOR
    case .actor: CK_HANG_ACTOR
    case .eventLoop: CK_HANG_EVENT_LOOP
    case .pool: CK_HANG_POOL
    }
  }
}

/// The single thread that has run all heartbeats so far.
///
/// Only one user at a time may call it.
package struct OnlyThread: Sendable {
  /// How many heartbeats must have run on a thread before it counts as the only one.
  private let confirmations: Int
  private var last: Int32 = 0
  private var seen = 0
  private var isShared = false

  package init(confirmations: Int = 3) { self.confirmations = confirmations }

  /// Called where a heartbeat runs.
  package mutating func learn() {
    let thread = ck_thread_id()
    if seen > 0 && thread != last { isShared = true }
    last = thread
    seen = min(seen + 1, confirmations)
  }

  /// `nil` if several threads ran heartbeats, if too few heartbeats ran, or if the thread has ended.
  package var thread: Int32? { ran.flatMap { Self.exists($0) ? $0 : nil } }
  /// The same, without the check whether the thread has ended.
  package var ran: Int32? { seen >= confirmations && !isShared ? last : nil }

  static func exists(_ thread: Int32) -> Bool {
    thread > 0 && access("/proc/self/task/\(thread)", F_OK) == 0
  }
}
