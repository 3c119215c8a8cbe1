import Dispatch
import ThreadGuard

/// A search whose answers arrive on any thread, and look there whether they are still wanted.
final class HastySearch: @unchecked Sendable {
  static let counts = Place(below: 6)

  @ThreadGuard.GuardedValue private var newest = 0

  func begin() {
    // The mistake: an answer compares this on another thread at the same time, and a late one may win.
    _newest.write { $0 += 1 }
  }

  var number: Int { newest }

  func isWanted(_ number: Int) -> Bool { newest == number }
}

extension SearchScreen {
  static let showsWhereAnswerCame = Place(below: 5)

  func showAnswer(of directory: any UserDirectory, for text: String) async throws {
    let users = try await directory.users(matching: text)
    // The mistake: the answer comes on a thread of the task's.
    show(Answer(text: text, users: users, source: .directory))
  }
}

/// Answers in memory, and those of former launches in a file, each behind a lock of its own.
final class LayeredCache: Sendable {
  static let looksUpStoreInCache = Place(below: 10)
  static let refreshesCacheInStore = Place(below: 19)

  private let cache = ThreadGuard.GuardedMutex("search.cache", ResultCache(capacity: 32))
  private let store = ThreadGuard.GuardedMutex("search.users", [String: [User]]())

  /// Looks in memory, and then in what was stored.
  func users(for text: String) -> [User] {
    cache.withLock { cache in
      if let users = cache.users(for: text) { return users }
      let users = store.withLock { $0[text] ?? [] }
      cache.keep(users, for: text)
      return users
    }
  }

  /// Takes in what the directory answered.
  func refresh(_ users: [User], for text: String) {
    // The mistake: the two locks are taken in the other order than where users are looked up.
    store.withLock { store in
      cache.withLock { $0.keep(users, for: text) }
      store[text] = users
    }
  }
}
