import ThreadGuard

/// What the program still has to finish after it has left the screen. A system gives it a while for that: a task ends
/// once, because it is done or because its time is up.
final class BackgroundTasks: Sendable {
  enum Ending: Sendable { case done, expired }

  struct Identifier: Hashable, Sendable { fileprivate let number: Int }

  private struct State {
    var next = 1
    var running: Set<Int> = []
  }

  private let state = ThreadGuard.GuardedMutex("background.tasks", State())

  var running: Int { state.withLock { $0.running.count } }

  func begin() -> Identifier {
    state.withLock { state in
      defer { state.next += 1 }
      state.running.insert(state.next)
      return Identifier(number: state.next)
    }
  }

  /// Ends a task. Returns `true` if it had not been ended before.
  func end(_ task: Identifier) -> Bool { state.withLock { $0.running.remove(task.number) != nil } }
}
