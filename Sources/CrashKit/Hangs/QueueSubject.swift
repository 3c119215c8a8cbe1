import Dispatch

/// A serial queue.
final class QueueSubject: HangSubject, @unchecked Sendable {
  let kind = HangSubjectKind.queue
  private let queue: DispatchQueue
  private let owner: QueueOwner

  init(_ queue: DispatchQueue) {
    self.queue = queue
    owner = QueueOwner(queue)
  }

  private var isMain: Bool { queue.label == DispatchQueue.main.label }
  var name: String { isMain ? "main" : queue.label }
  var words: String { isMain ? "main queue" : "queue \(queue.label)" }
  var thread: Int32? { owner.thread }
  var isIdle: Bool { owner.isIdle }

  func put(every interval: UInt64, _ heartbeat: @escaping @Sendable () -> Bool) { queue.async { _ = heartbeat() } }
  func learn() { owner.learn() }
}
