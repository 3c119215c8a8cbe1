import Testing
import Watcher

@testable import Workloads

@Suite(.timeLimit(.minutes(30))) struct FactServerTests {
  private let collection = FactCollection(count: 42, pageSize: 20)
  private let times = Watcher.ResponseTimes()

  private func serve(
    slow: Int = .max, lost: Int = .max, _ body: (FactClient) async throws -> Void
  ) async throws {
    var temper = ServerTemper(seed: 1)
    (temper.slow, temper.lost) = (slow, lost)
    try await FactServer.serve(collection, temper: temper) { try await body(FactClient(port: $0, times: times)) }
  }

  @Test func theThreeEndpointsAnswer() async throws {
    try await serve { client in
      let page = try await client.page(3)
      #expect(page.facts.map(\.number) == [41, 42] && page.lastPage == 3)
      let fact = try await client.fact(42)
      #expect(fact == collection.fact(42))
      let breed = try await client.breed(0)
      #expect(breed == Breed(number: 0, name: "Abyssinian"))
    }
    #expect(times.endpoints.map(\.name) == FactClient.endpoints.sorted())
    #expect(times.endpoints.allSatisfy { $0.calls == 1 && $0.errors == 0 && $0.mean > 0 })
  }

  @Test func anUnknownPathIsNotFound() async throws {
    try await serve { client in
      await #expect(throws: NotFound.self) { try await client.page(4) }
      await #expect(throws: NotFound.self) { try await client.fact(0) }
      await #expect(throws: NotFound.self) { try await client.breed(99) }
    }
    #expect(times.endpoint("GET /facts")?.errors == 1)
  }

  @Test func aConnectionThatIsClosedWithoutAnAnswerIsLost() async throws {
    try await serve(lost: 1) { client in
      await #expect(throws: ConnectionLost.self) { try await client.page(1) }
    }
  }

  @Test func withoutAServerTheConnectionIsLost() async throws {
    var port = 0
    try await serve { port = $0.port }
    await #expect(throws: ConnectionLost.self) { try await FactClient(port: port, times: times).page(1) }
  }

  @Test func aSlowAnswerIsDelayed() async throws {
    try await serve(slow: 1) { _ = try await $0.page(1) }
    let endpoint = try #require(times.endpoint("GET /facts"))
    #expect(endpoint.mean >= 0.008)
  }

  @Test func howARequestIsTreatedFollowsFromTheSeed() {
    let paths = (1...200).map { "/facts/\($0)" }
    func treatments(_ seed: UInt64, _ attempt: Int = 1) -> [Treatment] {
      paths.map { ServerTemper(seed: seed).treatment(of: $0, attempt: attempt) }
    }
    #expect(treatments(1) == treatments(1))
    #expect(treatments(1) != treatments(2))
    #expect(treatments(1) != treatments(1, 2), "another try may fare better")
    #expect(treatments(1).contains(.losesConnection))
    #expect(treatments(1).contains { if case .answersAfter = $0 { true } else { false } })
  }
}
