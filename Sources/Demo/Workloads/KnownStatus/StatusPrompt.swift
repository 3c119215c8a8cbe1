import Dispatch
import FoundationEssentials
import ThreadGuard

/// Asks for a new status once the known one is older than so many months.
///
/// Anything may happen at any time and on any thread: the program comes to the front, a message arrives, somebody
/// answers or walks away. What has no place in the state that it finds is refused, and counted.
final class StatusPrompt: Sendable {
  let store: StatusStore
  let screen: PromptScreen
  private let months: Int
  private let now: @Sendable () -> Date

  private struct Shared {
    var machine = PromptMachine()
    var refused = 0
  }

  private let shared = ThreadGuard.GuardedMutex("kys.prompt", Shared())

  /// - Parameters:
  ///   - months: How old a status may become.
  ///   - now: The time.
  init(store: StatusStore, screen: PromptScreen, months: Int, now: @escaping @Sendable () -> Date) {
    self.store = store
    self.screen = screen
    self.months = months
    self.now = now
  }

  var state: PromptMachine.State { shared.withLock { $0.machine.state } }

  /// How many events came at the wrong time.
  var refused: Int { shared.withLock { $0.refused } }

  /// Takes an event in, and says whether it had a place.
  @discardableResult
  func handle(_ event: PromptMachine.Event) -> Bool {
    shared.withLock { shared in
      if shared.machine.handle(event) { return true }
      shared.refused += 1
      return false
    }
  }

  /// Looks how old the status is, and asks if it is outdated. Does nothing while another check is under way.
  func check() async {
    guard handle(.start) else { return }
    guard isOutdated else {
      handle(.current)
      return
    }
    if handle(.outdated) { await present() }
  }

  /// The answer to the prompt: a new status, or none for "later".
  func answer(_ text: String?) async {
    guard handle(text == nil ? .postpone : .accept) else { return }
    await dismiss()
    guard let text, handle(.edited) else { return }
    await save(KnownStatus(text: text, updated: now()))
  }

  /// The user left without an answer.
  func cancel() async {
    if handle(.cancel) { await dismiss() }
  }

  private var isOutdated: Bool {
    store.load()?.isOutdated(afterMonths: months, at: now()) ?? true
  }

  /// One more try if the first fails; after that the update is given up.
  private func save(_ status: KnownStatus) async {
    for _ in 1...2 {
      do {
        try await store.save(status)
        handle(.saved)
        return
      } catch {
        guard handle(.failed), handle(.edited) else { return }
      }
    }
    if handle(.failed) { handle(.cancel) }
  }

  // When the main queue gets there, the user may have answered: the state decides what is shown.
  private func present() async { await draw() }
  private func dismiss() async { await draw() }
  private func draw() async {
    await onMain {
      if self.state == .prompt { self.screen.present() } else { self.screen.dismiss() }
    }
  }
}
