import Testing
import Watcher

/// A program that uses Watcher runs on, and no reading has a value.
struct WatcherElsewhereTests {
  @Test func itSaysThatItDoesNotWork() {
    #expect(!Watcher.isSupported)
  }

  @Test func noReadingHasAValue() async {
    let manager = Watcher.MetricManager(metricProvider: Watcher.SystemCPULoad(), threshold: 0.7)
    manager.start()
    manager.threshold = 0.5
    #expect(manager.metric == .cpuLoad)
    #expect(manager.threshold == 0.7)
    #expect(await manager.fetch() == .unavailable(.firstSample))
    #expect(manager.thresholdState == .unknown)
    #expect(Watcher.DiskSpace().sample().content == .unavailable(.noDevice("Linux with glibc")))
  }

  @Test func listenersWaitUntilTheyAreCancelled() async {
    Watcher.configure(cpuThreshold: 0.7)
    Watcher.notify(.didFinishLaunching)
    let listener = Task { for await _ in Watcher.eventProvider.events { Issue.record("an event came") } }
    listener.cancel()
    await listener.value
  }

  @Test func measuredWorkRuns() async {
    let times = Watcher.ResponseTimes()
    #expect(await times.measure("order") { 7 } == 7)
    await #expect(throws: CancellationError.self) {
      try await times.measure("order") { throw CancellationError() }
    }
    #expect(times.endpoints.isEmpty)
    #expect(Watcher.ResponseTime(of: "order", in: times).sample().content == .unavailable(.nothingMeasured))
  }

  @Test func valuesAreValues() throws {
    var meter = Watcher.RateMeter()
    let level = Watcher.Sample(.level(try Watcher.Quantity(2)), at: 1)
    #expect(meter.reading(of: level).value == 2)
    #expect(Watcher.NoisyProvider(in: 0...4).fetchMetric() == 2)
    #expect(Watcher.StatisticsSource(applicationName: "shop").now.applicationName == "shop")
  }
}
