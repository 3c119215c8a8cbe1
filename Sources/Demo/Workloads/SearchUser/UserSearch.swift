import Dispatch
import ThreadGuard

/// A search as you type: waits until the typing pauses, remembers earlier answers, and shows the answer to the
/// newest text, however late an older one's comes. May be used from any thread.
final class UserSearch: Sendable {
  let screen: SearchScreen
  private let directory: any UserDirectory
  private let store: OfflineStore
  private let pause: Duration
  private let clock: any Clock<Duration>

  private struct State {
    var cache = ResultCache(capacity: 32)
    var denied = DenyList(capacity: 64)
    /// Counts the texts: an answer is shown only if none was typed after its own.
    var newest = 0
    var task: Task<Void, Never>?
  }

  private let state = ThreadGuard.GuardedMutex("search.state", State())

  /// - Parameters:
  ///   - pause: How long nothing must be typed before the directory is asked.
  ///   - clock: By which it waits.
  init(
    screen: SearchScreen, directory: any UserDirectory, store: OfflineStore, pause: Duration,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.screen = screen
    self.directory = directory
    self.store = store
    self.pause = pause
    self.clock = clock
  }

  /// Takes in what stands in the field now. The task that it returns ends when the text has been answered, or given up
  /// for a newer one.
  @discardableResult
  func type(_ text: String) -> Task<Void, Never> {
    state.withLock { state in
      state.task?.cancel()
      state.newest += 1
      let number = state.newest
      let task = Task { await self.search(text, number) }
      state.task = task
      return task
    }
  }

  private func search(_ text: String, _ number: Int) async {
    if let answer = knownAnswer(text) { return await show(answer, number) }
    guard (try? await clock.sleep(for: pause)) != nil else { return }
    do {
      let users = try await directory.users(matching: text)
      learn(users, for: text)
      await show(.init(text: text, users: users, source: .directory), number)
    } catch is CancellationError {
      return
    } catch {
      await show(.init(text: text, users: store.users(matching: text), source: .offline), number)
    }
  }

  private func knownAnswer(_ text: String) -> SearchScreen.Answer? {
    if text.isEmpty { return .init(text: text, users: [], source: .nothingTyped) }
    return state.withLock { state in
      if state.denied.denies(text) { return .init(text: text, users: [], source: .denied) }
      return state.cache.users(for: text).map { .init(text: text, users: $0, source: .cache) }
    }
  }

  private func learn(_ users: [User], for text: String) {
    state.withLock { state in
      if users.isEmpty { state.denied.learn(text) } else { state.cache.keep(users, for: text) }
    }
    store.remember(users)
  }

  /// Whether the text is still the newest is asked on the main queue, where answers come one after the other.
  private func show(_ answer: SearchScreen.Answer, _ number: Int) async {
    await onMain {
      guard self.state.withLock({ $0.newest }) == number else { return }
      self.screen.show(answer)
    }
  }
}
