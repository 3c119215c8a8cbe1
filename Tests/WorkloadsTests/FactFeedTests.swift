import Testing

@testable import Workloads

@Suite(.timeLimit(.minutes(30))) struct FactFeedTests {
  private enum Call: Hashable {
    case page(Int)
    case fact(Int)
    case breed(Int)
  }
  private enum Answer: Sendable {
    case page(FactPage)
    case fact(Fact)
    case breed(Breed)
  }

  private struct Service: FactService {
    let script: Scripted<Call, Answer>
    func page(_ number: Int) async throws -> FactPage {
      guard case .page(let page) = try await script.ask(.page(number)) else { throw NotFound() }
      return page
    }
    func fact(_ number: Int) async throws -> Fact {
      guard case .fact(let fact) = try await script.ask(.fact(number)) else { throw NotFound() }
      return fact
    }
    func breed(_ number: Int) async throws -> Breed {
      guard case .breed(let breed) = try await script.ask(.breed(number)) else { throw NotFound() }
      return breed
    }
  }

  private let collection = FactCollection(count: 100, pageSize: 5)
  private let script = Scripted<Call, Answer>()
  private let clock = ManualClock()
  private let feed: FactFeed

  init() { feed = FactFeed(Service(script: script), patience: .milliseconds(100), attempts: 3, clock: clock) }

  private func state() async -> LoadingState { await onMain { [feed] in feed.indicator.state } }

  private func answerPages(_ pages: Int...) async {
    for page in pages { await script.answer(.page(page), with: .success(.page(collection.page(page)!))) }
  }

  private func show(_ page: Int, loading pages: Int...) async {
    async let shown: Void = feed.show(page)
    for page in pages { await answerPages(page) }
    await shown
  }

  private func open(_ number: Int) async -> FactDetails? {
    async let details = feed.details(of: number)
    let fact = collection.fact(number)!
    await script.answer(.fact(number), with: .success(.fact(fact)))
    await script.answer(.breed(fact.breed), with: .success(.breed(collection.breed(fact.breed)!)))
    return await details
  }

  @Test func neighboursAreLoadedInAdvance() async {
    await show(3, loading: 3, 4, 2)
    #expect(feed.pages.keys.sorted() == [2, 3, 4])
    #expect(feed.pages[3] == collection.page(3)?.facts)
    #expect(feed.loading.isEmpty)
    #expect(await state() == .idle)
  }

  @Test func aLostConnectionIsTriedAgainAndReported() async {
    async let shown: Void = feed.show(1)
    await answerPages(2)
    await script.answer(.page(1), with: .failure(ConnectionLost()))
    await script.isAsked(.page(1))
    #expect(await state() == .reconnecting)
    await answerPages(1)
    await shown
    #expect(feed.pages.keys.sorted() == [1, 2])
    #expect(await state() == .idle)
  }

  @Test func afterThreeLossesAPageHasFailedUntilItIsShownAgain() async {
    async let shown: Void = feed.show(1)
    await answerPages(2)
    for _ in 1...3 { await script.answer(.page(1), with: .failure(ConnectionLost())) }
    await shown
    #expect(feed.pages.keys.sorted() == [2])
    #expect(feed.loading.isEmpty)
    #expect(await state() == .failed)
    await show(1, loading: 1)
    #expect(feed.pages.keys.sorted() == [1, 2])
    #expect(await state() == .idle)
  }

  @Test func anotherErrorIsNotTriedAgain() async {
    async let details = feed.details(of: 7)
    await script.answer(.fact(7), with: .failure(NotFound()))
    #expect(await details == nil)
    #expect(script.asked == [.fact(7)])
    #expect(await state() == .failed)
  }

  @Test func aLateAnswerIsReported() async {
    async let details = feed.details(of: 7)
    await script.isAsked(.fact(7))
    await clock.sleepers(1)
    #expect(await state() == .loading)
    clock.advance(by: .milliseconds(100))
    await isState(.slow)
    await script.answer(.fact(7), with: .failure(NotFound()))
    _ = await details
    #expect(await state() == .failed)
  }

  /// Looks again each time that the main queue has drawn.
  private func isState(_ wanted: LoadingState) async { while await state() != wanted {} }

  @Test func detailsAreKeptAsLongAsTheirPage() async {
    await show(1, loading: 1, 2)
    #expect(await open(3)?.fact == collection.fact(3))
    #expect(await feed.details(of: 3)?.breed == collection.breed(3))
    #expect(script.asked.count { $0 == .fact(3) } == 1)
    await show(4, loading: 4, 5, 3)
    #expect(feed.knownDetails.keys.sorted() == [3], "five pages fit")
    await show(6, loading: 6, 7)
    #expect(feed.pages.keys.sorted() == [3, 4, 5, 6, 7])
    #expect(feed.knownDetails.isEmpty)
  }

  /// Its page went while they were under way.
  @Test func detailsThatComeTooLateAreShownAndNotKept() async {
    #expect(await open(50)?.fact.number == 50)
    #expect(feed.knownDetails.isEmpty)
  }
}
