import Dispatch
import ThreadGuard

/// A list of facts that is loaded as it is read, page by page, and the details of those that somebody opens. May be used
/// from any thread.
final class FactFeed: Sendable {
  let indicator = LoadingIndicator()
  private let service: any FactService
  private let clock: any Clock<Duration>
  private let patience: Duration
  private let attempts: Int

  // Where both are needed, the window's lock is taken first.
  private let window = ThreadGuard.GuardedMutex("catfacts.window", PageWindow<FactSummary>(prefetch: 1, capacity: 5))
  private let details = ThreadGuard.GuardedMutex("catfacts.details", [Int: FactDetails]())
  private let progress = ThreadGuard.GuardedMutex("catfacts.progress", LoadingProgress())

  /// - Parameters:
  ///   - patience: When an answer counts as late.
  ///   - attempts: How often a lost connection is tried anew.
  ///   - clock: By which it waits.
  init(
    _ service: any FactService, patience: Duration = .milliseconds(5), attempts: Int = 3,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.service = service
    self.patience = patience
    self.attempts = attempts
    self.clock = clock
  }

  var pages: [Int: [FactSummary]] { window.withLock { $0.pages } }
  var loading: Set<Int> { window.withLock { $0.loading } }
  var lastPage: Int? { window.withLock { $0.lastPage } }
  var knownDetails: [Int: FactDetails] { details.withLock { $0 } }

  /// The reader looks at a page. Returns when it and its neighbours are loaded, or have failed.
  func show(_ page: Int) async {
    let wanted = window.withLock { $0.show(page) }
    await withTaskGroup { group in
      for page in wanted { group.addTask { await self.load(page) } }
    }
  }

  /// The details of a fact; `nil` if they cannot be had. They are kept as long as the page that it stands on.
  func details(of number: Int) async -> FactDetails? {
    if let known = details.withLock({ $0[number] }) { return known }
    guard let fact = await attempt({ try await self.service.fact(number) }),
      let breed = await attempt({ try await self.service.breed(fact.breed) })
    else { return nil }
    let loaded = FactDetails(fact: fact, breed: breed)
    window.withLock { window in
      guard window.pages.values.contains(where: { $0.contains { $0.number == number } }) else { return }
      details.withLock { $0[number] = loaded }
    }
    return loaded
  }

  private func load(_ page: Int) async {
    guard let loaded = await attempt({ try await self.service.page(page) }) else {
      return window.withLock { $0.failed(page) }
    }
    window.withLock { window in
      let evicted = window.received(loaded.facts, for: page, of: loaded.lastPage)
      details.withLock { details in for fact in evicted { details[fact.number] = nil } }
    }
  }

  /// Calls the service, and again if the connection is lost. The state shows that meanwhile.
  private func attempt<Answer: Sendable>(_ call: @escaping @Sendable () async throws -> Answer) async -> Answer? {
    note { $0.loading += 1 }
    var answer: Answer?
    var left = attempts
    while answer == nil, left > 0 {
      left -= 1
      let isRetry = left < attempts - 1
      if isRetry { note { $0.retrying += 1 } }
      do { answer = try await noticingLateness(call) } catch is ConnectionLost {} catch { left = 0 }
      if isRetry { note { $0.retrying -= 1 } }
    }
    let hasFailed = answer == nil
    note {
      $0.loading -= 1
      $0.lastFailed = hasFailed
    }
    return answer
  }

  private func noticingLateness<Answer: Sendable>(_ call: () async throws -> Answer) async throws -> Answer {
    let watch = Task {
      guard (try? await clock.sleep(for: patience)) != nil else { return false }
      note { $0.late += 1 }
      return true
    }
    let result: Result<Answer, any Error>
    do { result = .success(try await call()) } catch { result = .failure(error) }
    watch.cancel()
    if await watch.value { note { $0.late -= 1 } }
    return try result.get()
  }

  private func note(_ change: (inout LoadingProgress) -> Void) {
    progress.withLock { change(&$0) }
    DispatchQueue.main.async { self.indicator.show(self.progress.withLock { $0.state }) }
  }
}
