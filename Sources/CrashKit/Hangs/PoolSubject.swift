/// The threads that run the Swift tasks of a priority.
///
/// On Linux the runtime has a queue for each priority, and each of them as many threads as there are processors: tasks
/// of one priority may starve while those of another run.
final class PoolSubject: HangSubject, @unchecked Sendable {
  let kind = HangSubjectKind.pool
  private let priority: TaskPriority
  // Used by turns, as the protocol says.
  private var learnt: ThreadName?

  init(_ priority: TaskPriority) { self.priority = priority }

  var name: String {
    switch priority {
    case .high: "high"
    case .medium: "medium"
    case .low: "low"
    case .background: "background"
    default: String(priority.rawValue)
    }
  }
  var words: String { "task pool of \(name) priority" }
  /// `nil`: a pool has several threads, and the report of its hang finds them.
  var thread: Int32? { nil }
  var poolThreadName: String? { learnt?.text }

  func put(every interval: UInt64, _ heartbeat: @escaping @Sendable () -> Bool) {
    Task.detached(priority: priority) { _ = heartbeat() }
  }

  func learn() { learnt = .own }
}
