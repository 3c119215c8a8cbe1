import FoundationEssentials
import ThreadGuard

/// Keeps the status in a file. Every so many saves fail, as on a full disk.
final class StatusStore: Sendable {
  struct Full: Error {}

  private let path: String
  private let failsEvery: Int?
  private let saves = ThreadGuard.GuardedMutex("kys.store", 0)

  /// - Parameter failsEvery: Which save in how many fails; `nil` for none.
  init(path: String, failsEvery: Int? = nil) {
    self.path = path
    self.failsEvery = failsEvery
  }

  func load() -> KnownStatus? {
    saves.withLock { _ in
      guard let data = FileManager.default.contents(atPath: path) else { return nil }
      return try? JSONDecoder().decode(KnownStatus.self, from: data)
    }
  }

  func save(_ status: KnownStatus) async throws {
    await Task.yield()
    try saves.withLock { count in
      count += 1
      if let failsEvery, count.isMultiple(of: failsEvery) { throw Full() }
      try JSONEncoder().encode(status).write(to: URL(filePath: path), options: .atomic)
    }
  }
}
