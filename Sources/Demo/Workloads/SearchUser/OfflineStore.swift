import FoundationEssentials
import ThreadGuard

/// All users that were ever found, in a file. It is used when the directory cannot be reached.
final class OfflineStore: Sendable {
  private struct State {
    var users: Set<User> = []
    var isDirty = false
  }

  private let path: String
  private let state: ThreadGuard.GuardedMutex<State>

  /// Reads what the file holds; nothing if it is missing or damaged.
  init(path: String) {
    self.path = path
    let data = FileManager.default.contents(atPath: path) ?? Data()
    let users = (try? JSONDecoder().decode(Set<User>.self, from: data)) ?? []
    state = ThreadGuard.GuardedMutex("search.store", State(users: users))
  }

  func users(matching text: String) -> [User] {
    state.withLock { $0.users }.filter { $0.name.hasPrefix(text) }.sorted { $0.number < $1.number }
  }

  func remember(_ users: [User]) {
    state.withLock { state in
      let known = state.users.count
      state.users.formUnion(users)
      if state.users.count != known { state.isDirty = true }
    }
  }

  /// Writes the file anew if there is something new.
  func save() throws {
    try state.withLock { state in
      guard state.isDirty else { return }
      try JSONEncoder().encode(state.users).write(to: URL(filePath: path), options: .atomic)
      state.isDirty = false
    }
  }
}
