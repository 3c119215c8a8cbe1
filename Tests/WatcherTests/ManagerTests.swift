import Dispatch
import Testing

@testable import Watcher

@Suite struct ManagerTests {
  @Test func everyListenerSeesTheSameReadings() async throws {
    let provider = ScriptedProvider([.share(of: 0, in: 0), .share(of: 25, in: 100), .share(of: 50, in: 200)])
    let manager = Watcher.MetricManager(metricProvider: provider, threshold: 0.8)
    var one = manager.publisher.makeAsyncIterator()
    var other = manager.percentPublisher.makeAsyncIterator()
    #expect(await manager.fetch().unavailability == .firstSample)
    #expect(await manager.fetch().value == 0.25)
    #expect(await one.next() == 0.25)
    #expect(await other.next() == 25)
    #expect(provider.count == 2)
  }

  @Test func aSlowListenerFindsTheNewest() async {
    let manager = Watcher.MetricManager(
      metricProvider: ScriptedProvider(levels: [0.1, 0.2, 0.3]), threshold: 0.8)
    var values = manager.publisher.makeAsyncIterator()
    for _ in 0..<3 { _ = await manager.fetch() }
    #expect(await values.next() == 0.3)
    var late = manager.publisher.makeAsyncIterator()
    #expect(await late.next() == 0.3, "one who comes late is told at once")
  }

  @Test func listenersHearOfEachCrossing() async {
    let manager = Watcher.MetricManager(
      metricProvider: ScriptedProvider(levels: [0.5, 0.9, 0.5]), threshold: 0.8)
    var changes = manager.thresholdChanges.makeAsyncIterator()
    for _ in 0..<3 { _ = await manager.fetch() }
    let first = await changes.next()
    #expect(first?.state == .critical && first?.value == 0.9 && first?.threshold == 0.8)
    #expect(await changes.next()?.state == .nominal)
    #expect(manager.thresholdState == .nominal)
  }

  @Test func aNewThresholdJudgesTheCurrentValue() async {
    let manager = Watcher.MetricManager(metricProvider: ScriptedProvider(levels: [0.5]), threshold: 0.8)
    var changes = manager.thresholdChanges.makeAsyncIterator()
    _ = await manager.fetch()
    manager.threshold = 0.4
    #expect(await changes.next()?.state == .critical)
    manager.thresholdRange = .upper
    #expect(await changes.next()?.state == .nominal)
    manager.threshold = .nan
    #expect(manager.threshold == 0.4)
  }

  @Test func listenersHearOfSettings() async {
    let manager = Watcher.MetricManager(metricProvider: ScriptedProvider(levels: [0.5]), threshold: 0.8)
    var thresholds = manager.thresholdPublisher.makeAsyncIterator()
    var ranges = manager.thresholdRangePublisher.makeAsyncIterator()
    var frequencies = manager.refreshFrequencyPublisher.makeAsyncIterator()
    #expect(await thresholds.next() == 0.8)
    #expect(await ranges.next() == .lower)
    #expect(await frequencies.next() == 1)
    manager.threshold = 0.7
    manager.thresholdRange = .upper
    manager.refreshFrequency = 5
    #expect(await thresholds.next() == 0.7)
    #expect(await ranges.next() == .upper)
    #expect(await frequencies.next() == 5)
    manager.refreshFrequency = 0
    #expect(manager.refreshFrequency == Watcher.MetricManager.frequencies.lowerBound)
    manager.refreshFrequency = .nan
    #expect(manager.refreshFrequency == Watcher.MetricManager.frequencies.lowerBound)
  }

  @Test func aBatteryIsNominalAboveItsThreshold() {
    let battery = Watcher.MetricManager(
      metricProvider: ScriptedProvider(levels: [0.5], metric: .batteryLevel), threshold: 0.2)
    #expect(battery.thresholdRange == .upper)
  }

  @Test func aBatteryThatIsFullIsNominalAgain() async {
    let battery = Watcher.MetricManager(
      metricProvider: ScriptedProvider(levels: [0.9, 1], metric: .batteryLevel), threshold: 0.99)
    _ = await battery.fetch()
    #expect(battery.thresholdState == .critical)
    _ = await battery.fetch()
    #expect(battery.thresholdState == .nominal)
  }

  /// The call of a program that comes from a Combine-style watcher.
  @Test func aCombineStyleCallCompiles() async {
    struct Half: Watcher.MetricProviderUseCase {
      func fetchMetric() throws -> Float { 0.5 }
    }
    let manager = Watcher.MetricManager(
      metricProvider: Half(), threshold: 0.4, refreshFrequency: 1, queue: DispatchQueue(label: "sampling"))
    #expect(await manager.fetch().value == 0.5)
    #expect(manager.metric == Watcher.Metric("Half", unit: .ratio))
    #expect(manager.thresholdState == .critical)
  }

  @Test func aThresholdThatIsNotANumberMakesNothingCritical() async {
    let manager = Watcher.MetricManager(metricProvider: ScriptedProvider(levels: [1]), threshold: .nan)
    _ = await manager.fetch()
    #expect(manager.thresholdState == .nominal)
  }

  @Test func aProviderThatFailsIsAskedAgain() async {
    let provider = ScriptedProvider([.unavailable(.noDevice("x")), .level(try! Watcher.Quantity(0.5))])
    let manager = Watcher.MetricManager(metricProvider: provider, threshold: 0.8, refreshFrequency: 0.02)
    var readings = manager.readings.makeAsyncIterator()
    manager.start()
    while let reading = await readings.next(), reading.value == nil {}
    #expect(manager.reading.value == 0.5)
    manager.stop()
  }

  @Test func fetchesJoinTheTickThatIsRunning() async {
    let provider = ScriptedProvider(levels: [0.1, 0.2, 0.3, 0.4, 0.5])
    let queue = DispatchQueue(label: "busy")
    let manager = Watcher.MetricManager(metricProvider: provider, threshold: 0.8, queue: queue)
    queue.suspend()
    let fetches = await withTaskGroup(of: Double?.self) { group in
      for _ in 0..<8 { group.addTask { await manager.fetch().value } }
      // All eight have asked before the queue goes on.
      group.addTask {
        while manager.state.withLock({ $0.waiting.count }) < 8 { await Task.yield() }
        queue.resume()
        return 0.1
      }
      return await group.reduce(into: Set<Double?>()) { $0.insert($1) }
    }
    #expect(fetches == [0.1])
    #expect(provider.count == 1)
  }

  @Test func inTheBackgroundItRestsOrGoesOnMoreSlowly() async {
    let manager = Watcher.MetricManager(
      metricProvider: ScriptedProvider(levels: [0.5]), threshold: 0.8, refreshFrequency: 0.02)
    var readings = manager.readings.makeAsyncIterator()
    manager.start()
    _ = await readings.next()
    manager.enter(.background)
    #expect(!manager.ticker.isTicking)
    manager.enableBackgroundFetching(every: 0.03)
    #expect(manager.ticker.isTicking)
    _ = await readings.next()
    manager.enter(.foreground)
    #expect(manager.ticker.isTicking)
    manager.stop()
    #expect(!manager.ticker.isTicking)
  }

  @Test func listenersOfAReleasedManagerEnd() async {
    var manager: Watcher.MetricManager? = Watcher.MetricManager(
      metricProvider: ScriptedProvider(levels: [0.5]), threshold: 0.8)
    let values = manager!.publisher
    var iterator = values.makeAsyncIterator()
    manager = nil
    #expect(await iterator.next() == nil)
  }
}

@Suite struct EventTests {
  @Test func eventsOfAllManagersComeTogether() async {
    let events = Watcher.EventProvider()
    let cpu = Watcher.MetricManager(metricProvider: ScriptedProvider(levels: [0.9]), threshold: 0.8)
    let memory = Watcher.MetricManager(
      metricProvider: ScriptedProvider(levels: [0.95], metric: .memoryLoad), threshold: 0.8)
    events.register(cpu, for: .cpuLoad)
    events.register(memory, for: .memoryLoad)
    var iterator = events.events.makeAsyncIterator()
    _ = await cpu.fetch()
    let first = await iterator.next()
    #expect(first?.metric == .cpuLoad && first?.state == .critical && first?.percentage == 90)
    _ = await memory.fetch()
    #expect(await iterator.next()?.metric == .memoryLoad)
    #expect(events.metrics == [.cpuLoad, .memoryLoad])
  }

  @Test func configuringLateAppliesToManagersAtWork() async {
    _ = await Watcher.cpuLoadManager.fetch()
    Watcher.configure(cpuThreshold: 0.55, batteryLevelThreshold: 0.15, refreshFrequency: 30)
    #expect(Watcher.cpuLoadManager.threshold == 0.55)
    #expect(Watcher.batteryLevelManager.threshold == 0.15)
    #expect(Watcher.memoryLoadManager.refreshFrequency == 30)
    #expect(Watcher.eventProvider.metrics == [.batteryLevel, .cpuLoad, .memoryLoad])
  }
}

@Suite struct ResponseTimesTests {
  @Test func figuresOfAnEndpoint() async throws {
    let times = Watcher.ResponseTimes()
    for milliseconds in 1...100 { times.record("GET /breeds", duration: .milliseconds(milliseconds)) }
    times.record("GET /breeds", duration: .seconds(2), failed: true)
    let breeds = try #require(times.endpoint("GET /breeds"))
    #expect(breeds.calls == 101 && breeds.errors == 1 && breeds.longest == 2)
    #expect(abs(breeds.median - 0.051) < 0.001)
    #expect(abs(breeds.percentile95 - 0.096) < 0.002)
    #expect(abs(breeds.mean - (5.05 + 2) / 101) < 1e-9)
    let mean = Watcher.ResponseTime(of: "GET /facts", in: times).sample().content
    #expect(mean == .unavailable(.nothingMeasured))
    await #expect(throws: CancellationError.self) {
      try await times.measure("GET /facts") { throw CancellationError() }
    }
    #expect(times.endpoint("GET /facts")?.errors == 1)
    let ratio = Watcher.ResponseTime(of: "GET /facts", .errorRatio, in: times).sample().content
    #expect(ratio == .level(try Watcher.Quantity(1)))
  }

  @Test func namesWithoutEndAreBounded() {
    let times = Watcher.ResponseTimes()
    for number in 0..<1000 { times.record("GET /breeds/\(number)", duration: .milliseconds(1)) }
    #expect(times.endpoints.count == Watcher.ResponseTimes.mostEndpoints + 1)
    #expect(times.endpoint(Watcher.ResponseTimes.otherEndpoints)?.calls == 744)
  }

  @Test func noiseStaysInItsRangeAndIsTheSameForASeed() {
    let one = Watcher.NoisyProvider(in: 0.2...0.4, seed: 7)
    let other = Watcher.NoisyProvider(in: 0.2...0.4, seed: 7)
    let numbers = (0..<1000).map { _ in one.fetchMetric() }
    #expect(numbers.allSatisfy { (0.2...0.4).contains($0) })
    #expect(numbers == (0..<1000).map { _ in other.fetchMetric() })
  }
}
