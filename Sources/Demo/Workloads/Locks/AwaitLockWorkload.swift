import CrashKit
import Foundation

/// A token that is fetched again when it has expired. The faulty variant holds the token's lock while it awaits the
/// fetch.
public struct AwaitLockWorkload: Workload {
  public static let name = "await-lock"
  public static let summary = "An access token behind a lock: a task that finds it expired fetches a new one"

  public static let variants = [
    Variant("correct", "The lock is released before the fetch is awaited"),
    Variant(
      "held-across-await", "The lock is held while the fetch is awaited",
      planted: [Plant("lockMisuse", at: [TokenStore.begin])]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    let store = TokenStore()
    let journal = Journal()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 1...3 {
          _ = variant.isCorrect ? await store.refreshed() : await store.refreshedUnderLock()
        }
      }
      for number in 0..<context.threads {
        group.addTask {
          var random = context.random(for: number)
          for _ in 1...200 {
            journal.note("request")
            try? await Task.sleep(for: .microseconds(Int.random(in: 100...400, using: &random)))
          }
        }
      }
    }
  }
}

/// A token that is fetched anew when it has expired.
private final class TokenStore: @unchecked Sendable {
  private let lock = NSLock()
  private var token = ""

  func refreshed() async -> String {
    let new = await fetch()
    return lock.withLock {
      token = new
      return new
    }
  }

  func refreshedUnderLock() async -> String {
    beginUpdate()
    token = await fetch()
    endUpdate()
    return token
  }

  // The compiler keeps asynchronous functions from calling lock() themselves; it does not look through these.
  static let begin = Place(below: 1)
  private func beginUpdate() { lock.lock() }
  private func endUpdate() { lock.unlock() }

  private func fetch() async -> String {
    try? await Task.sleep(for: .milliseconds(40))
    CrashKit.record("token fetched", category: "network")
    return "token"
  }
}

/// Notes what else the program does, under a lock of its own.
private final class Journal: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  func note(_ text: String) { lock.withLock { count += 1 } }
}
