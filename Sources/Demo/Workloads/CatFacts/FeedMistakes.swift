import ThreadGuard
import Watcher

/// Counts pages as they arrive, for a bar beside the list.
final class ScrollBar: @unchecked Sendable {
  static let counts = Place(below: 6)

  @ThreadGuard.GuardedValue private var loadedPages = 0

  func received(_ page: FactPage) {
    // The mistake: pages arrive on any thread, and the bar is drawn on another.
    _loadedPages.write { $0 += 1 }
  }

  func length(of lastPage: Int) -> Double { Double(loadedPages) / Double(max(1, lastPage)) }
}

extension LoadingIndicator {
  static let showsWhereItLoads = Place(below: 4)

  func load(_ page: Int, from service: any FactService) async throws -> FactPage {
    // The mistake: this is a thread of the task's, here and after the answer.
    show(.loading)
    let loaded = try await service.page(page)
    await onMain { self.show(.idle) }
    return loaded
  }
}

/// How fast an endpoint answers, for a corner of the screen.
struct ResponseSummary {
  static let dividesByNone = Place(below: 8)

  let times: Watcher.ResponseTimes

  func mean(of endpoint: String) -> Double {
    let known = times.endpoint(endpoint)
    let total = (known?.mean ?? 0) * Double(known?.calls ?? 0)
    // The mistake: before the first call there is nothing to take a mean of.
    return total / Double(known?.calls ?? 0)
  }
}

/// Pages and details behind locks of their own, as in ``FactFeed``.
final class DetailShelf: Sendable {
  static let evictsUnderPages = Place(below: 10)
  static let looksForPageUnderDetails = Place(below: 16)

  private let pages = ThreadGuard.GuardedMutex("shelf.pages", Set<Int>())
  private let details = ThreadGuard.GuardedMutex("shelf.details", [Int: Fact]())

  /// Keeps these facts, and nothing of others.
  func show(_ facts: [FactSummary]) {
    pages.withLock { pages in
      pages = Set(facts.map(\.number))
      details.withLock { details in details = details.filter { pages.contains($0.key) } }
    }
  }

  func keep(_ fact: Fact) {
    // The mistake: this takes the two locks in the other order.
    details.withLock { details in
      if pages.withLock({ $0.contains(fact.number) }) { details[fact.number] = fact }
    }
  }
}
