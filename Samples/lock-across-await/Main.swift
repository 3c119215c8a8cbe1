// A lock that is held while its task waits: the task goes on, and unlocks, on whatever thread is free; and whoever needs the
// lock meanwhile blocks a thread that the task may need.
//
// `crashsym run --thread-guard -- lock-across-await` tells where it was taken.

import Foundation

/// A token that is fetched anew when it has expired, by one task at a time.
final class TokenStore: @unchecked Sendable {
  private let lock = NSLock()
  private var token = ""

  // The compiler keeps asynchronous functions from calling lock() themselves; it does not look through this.
  private func begin() { lock.lock() }
  private func end() { lock.unlock() }

  func refreshed() async -> String {
    begin()
    // The mistake: the lock is held across this await.
    token = await fetch()
    end()
    return token
  }

  private func fetch() async -> String {
    try? await Task.sleep(for: .milliseconds(50))
    return "secret-\(Int.random(in: 1...9))"
  }
}

/// Notes what else the program does, under a lock of its own.
final class Journal: Sendable {
  private let lock = NSLock()

  func write() { lock.withLock {} }
}

@main
struct Main {
  static func main() async {
    let store = TokenStore()
    let journal = Journal()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { print(await store.refreshed().count, "characters") }
      for _ in 1...4 {
        group.addTask {
          for _ in 1...200 {
            journal.write()
            try? await Task.sleep(for: .microseconds(200))
          }
        }
      }
    }
  }
}
