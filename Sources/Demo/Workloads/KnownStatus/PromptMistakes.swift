import Dispatch
import FoundationEssentials
import ThreadGuard

/// As ``StatusPrompt``, in the belief that events come one after the other.
final class UnsynchronisedPrompt: @unchecked Sendable {
  static let changes = Place(below: 6)

  @ThreadGuard.GuardedValue private var machine = PromptMachine()

  func handle(_ event: PromptMachine.Event) -> Bool {
    // The mistake: a message may arrive while the user answers.
    _machine.write { $0.handle(event) }
  }
}

extension PromptScreen {
  static let presentsWhereItChecked = Place(below: 7)

  func presentWhenOutdated(
    _ status: KnownStatus, at now: Date, queue: DispatchQueue, done: @escaping @Sendable () -> Void
  ) {
    queue.async {
      // The mistake: the check runs in the background, and so does this.
      if status.isOutdated(afterMonths: 6, at: now) { self.present() }
      done()
    }
  }
}

/// Saves under a lock, so that no thread reads a half saved status.
final class LockedSaver: @unchecked Sendable {
  /// Of the function that waits nothing is left on any stack by then: this is where the lock was taken, and, if that is
  /// what shows it first, where another thread gives it back.
  static let locks = Place(below: 8)

  private let lock = ThreadGuard.GuardedLock("kys.saving")
  private let store: StatusStore

  init(store: StatusStore) { self.store = store }

  // The compiler keeps asynchronous functions from locking; it does not look through this.
  private func hold(_ isHeld: Bool) { isHeld ? lock.lock() : lock.unlock() }

  func save(_ status: KnownStatus, pausing pause: Duration) async throws {
    hold(true)
    // The mistake: the task lets go of its thread here, and keeps the lock.
    try await Task.sleep(for: pause)
    try await store.save(status)
    hold(false)
  }
}
