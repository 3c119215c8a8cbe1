import Dispatch
import Watcher

/// A list of facts about cats, read page by page from a server that is sometimes slow or unreachable.
public struct CatFactsWorkload: Workload {
  public static let name = "catfacts"
  public static let summary = "Reads a list with details page by page, from a local server that is sometimes slow"

  public static let variants = [
    Variant(
      "correct", "Pages are prefetched and evicted under one lock, and the loading sign is set on the main queue"),
    Variant(
      "pages-on-callback", "Pages are counted without a lock, on the threads on which they arrive",
      planted: [Plant("dataRace", at: [ScrollBar.counts])]),
    Variant(
      "loading-off-main", "The loading sign is set on the thread that loads the page",
      planted: [Plant("mainQueueViolation", at: [LoadingIndicator.showsWhereItLoads])]),
    Variant(
      "mean-of-none", "The mean response time of an endpoint is computed before the first call of the endpoint",
      planted: [Plant("nan", at: [ResponseSummary.dividesByNone])]),
    Variant(
      "inverted-eviction", "Eviction locks pages and then details; loading locks them in the opposite order",
      planted: [
        Plant("lockOrderInversion", at: [DetailShelf.evictsUnderPages, DetailShelf.looksForPageUnderDetails])
      ]),
  ]

  private let collection = FactCollection(count: 500, pageSize: 20)

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    let times = Watcher.ResponseTimes()
    try await FactServer.serve(collection, temper: ServerTemper(seed: context.seed)) { port in
      let client = FactClient(port: port, times: times)
      switch variant.name {
      case "pages-on-callback": try await countPages(context, client)
      case "loading-off-main": try await showLoading(context, client)
      case "mean-of-none": try await summarise(context, client)
      case "inverted-eviction": try await shelve(client)
      default: try await runCorrectly(context, client)
      }
    }
  }

  private func runCorrectly(_ context: WorkloadContext, _ client: FactClient) async throws {
    let feed = FactFeed(client)
    let managers = Self.responseTimes(client.times)
    for manager in managers { manager.start() }
    defer { for manager in managers { manager.stop() } }
    try await context.inTasks { _, random in
      await feed.show(Int.random(in: 1...collection.lastPage, using: &random))
      let facts = feed.pages.values.joined().sorted { $0.number < $1.number }
      guard let summary = facts.randomElement(using: &random) else { return }
      guard let details = await feed.details(of: summary.number) else { return }
      let isRight = details.fact == collection.fact(summary.number)
      try BrokenPromise.unless(isRight, "fact \(summary.number) is \(details.fact)")
    }
    try check(feed)
    for manager in managers {
      let reading = await manager.fetch()
      let isMean = reading.value != nil || reading.unavailability == .nothingMeasured
      try BrokenPromise.unless(isMean, "\(manager.metric): \(reading)")
    }
    try BrokenPromise.unless(
      await onMain { [.idle, .failed].contains(feed.indicator.state) }, "the loading sign is still set")
  }

  private func check(_ feed: FactFeed) throws {
    let pages = feed.pages
    try BrokenPromise.unless(feed.loading.isEmpty, "pages \(feed.loading) are still being loaded")
    try BrokenPromise.unless(pages.count <= 5, "\(pages.count) pages are kept, more than 5")
    for (number, facts) in pages {
      try BrokenPromise.unless(facts == collection.page(number)?.facts, "page \(number) does not hold its own facts")
    }
    let kept = Set(pages.values.joined().map(\.number))
    try BrokenPromise.unless(kept.isSuperset(of: feed.knownDetails.keys), "details of evicted pages are kept")
  }

  /// Each endpoint's mean response time, and when it is too long.
  private static func responseTimes(_ times: Watcher.ResponseTimes) -> [Watcher.MetricManager] {
    FactClient.endpoints.map {
      Watcher.MetricManager(
        metricProvider: Watcher.ResponseTime(of: $0, in: times), threshold: 0.05, refreshFrequency: 0.05)
    }
  }

  private func countPages(_ context: WorkloadContext, _ client: FactClient) async throws {
    let bar = ScrollBar()
    let drawing = DispatchQueue(label: "scrollbar")
    drawing.async { while !context.isOver { _ = bar.length(of: collection.lastPage) } }
    try await context.inTasks { _, random in
      let number = Int.random(in: 1...collection.lastPage, using: &random)
      do { bar.received(try await client.page(number)) } catch is ConnectionLost { return }
    }
    await on(drawing) {}
  }

  private func showLoading(_ context: WorkloadContext, _ client: FactClient) async throws {
    try await context.inTasks { _, random in
      let indicator = LoadingIndicator()
      let number = Int.random(in: 1...collection.lastPage, using: &random)
      do { _ = try await indicator.load(number, from: client) } catch is ConnectionLost { return }
    }
  }

  /// Draws the corner of the screen after each page, and so before the reader has opened a fact.
  private func summarise(_ context: WorkloadContext, _ client: FactClient) async throws {
    let summary = ResponseSummary(times: client.times)
    var random = context.random(for: 1)
    repeat {
      let number = Int.random(in: 1...collection.lastPage, using: &random)
      do { _ = try await client.page(number) } catch is ConnectionLost {}
      _ = FactClient.endpoints.map(summary.mean)
    } while !context.isOver
  }

  /// Opens facts, and turns the page only then: the two never meet, but the order of the locks is still wrong.
  private func shelve(_ client: FactClient) async throws {
    let shelf = DetailShelf()
    let scrolling = DispatchQueue(label: "scrolling")
    let details = DispatchQueue(label: "details")
    let facts = collection.page(1)?.facts ?? []
    await on(scrolling) { shelf.show(facts) }
    for summary in facts {
      guard let fact = try? await client.fact(summary.number) else { continue }
      await on(details) { shelf.keep(fact) }
    }
    await on(scrolling) { shelf.show([]) }
  }
}
