import Metrics
import MetricsTestKit
import OpenCombine
import Synchronization
import Testing
import WatcherCombine
import WatcherMetrics

@testable import Watcher

@Suite struct AdapterTests {
  @Test func valuesReachTheMetricsBackend() async throws {
    let backend = TestMetrics()
    let manager = Watcher.MetricManager(metricProvider: ScriptedProvider(levels: [0.25]), threshold: 0.8)
    let bridge = WatcherMetricsBridge(manager, factory: backend)
    _ = await manager.fetch()
    let gauge = try backend.expectGauge("system.cpu.utilization")
    while gauge.lastValue == nil { await Task.yield() }
    #expect(gauge.lastValue == 0.25)
    withExtendedLifetime(bridge) {}
  }

  @Test func namesFollowTheConventions() {
    #expect(WatcherMetricsBridge.name(of: .processMemory) == "process_resident_memory_bytes")
    #expect(WatcherMetricsBridge.name(of: Watcher.Metric("api.errors GET /x", unit: .ratio)) == "api_errors_GET__x")
  }

  @Test func aSinkIsCalledUntilItIsLetGo() async {
    let manager = Watcher.MetricManager(metricProvider: ScriptedProvider(levels: [0.25, 0.5]), threshold: 0.8)
    let (values, received) = AsyncStream.makeStream(of: Double.self)
    var iterator = values.makeAsyncIterator()
    _ = await manager.fetch()
    let cancellable = manager.percentPublisher.sink { received.yield($0) }
    #expect(await iterator.next() == 25)
    _ = await manager.fetch()
    #expect(await iterator.next() == 50)
    cancellable.cancel()
  }

  @Test func aPublisherGivesWhatIsAskedFor() async {
    let manager = Watcher.MetricManager(metricProvider: ScriptedProvider(levels: [0.25, 0.5, 0.75]), threshold: 0.8)
    _ = await manager.fetch()
    let (values, received) = AsyncStream.makeStream(of: Double.self)
    let cancellable = manager.publisher.combinePublisher.map { $0 * 2 }.sink { received.yield($0) }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 0.5)
    _ = await manager.fetch()
    #expect(await iterator.next() == 1)
    cancellable.cancel()
  }

  @Test func aPublisherEndsWithItsSource() async {
    var manager: Watcher.MetricManager? = Watcher.MetricManager(
      metricProvider: ScriptedProvider(levels: [0.25]), threshold: 0.8)
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    let cancellable = manager!.publisher.combinePublisher.sink(
      receiveCompletion: { _ in ended.yield() }, receiveValue: { _ in })
    manager = nil
    var iterator = ends.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    cancellable.cancel()
  }
}

@Suite struct StatisticsTests {
  @Test func statisticsDescribeTheSystemAndTheProcess() throws {
    let fake = try FakeRoot([
      "/etc/os-release": "NAME=x\nPRETTY_NAME=\"Some Linux 12\"\n", "/sys/class/dmi/id/sys_vendor": "ACME\n",
      "/sys/class/dmi/id/product_name": "Rocket 3\n", "/proc/self/statm": "100 10\n",
    ])
    let times = Watcher.ResponseTimes()
    times.record("GET /", duration: .milliseconds(5))
    let source = Watcher.StatisticsSource(
      applicationName: "api", applicationVersion: "2.1", times: times, root: fake.root)
    let now = source.now
    #expect(now.system == "Some Linux 12" && now.deviceMake == "ACME" && now.deviceModel == "Rocket 3")
    #expect(now.memoryInUse == 40960 && now.endpoints.map(\.calls) == [1])
    #expect(now.applicationName == "api" && now.applicationVersion == "2.1")
    let bare = Watcher.StatisticsSource(root: try FakeRoot().root).now
    #expect(bare.deviceMake == nil && bare.memoryInUse == nil && bare.system == "Linux")
    #expect(!bare.applicationName.isEmpty)
  }

  @Test func valuesAreUpdatedLive() async {
    let times = Watcher.ResponseTimes()
    var updates = Watcher.StatisticsSource(times: times).updates(every: 0.02).makeAsyncIterator()
    #expect(await updates.next()?.endpoints.isEmpty == true)
    times.record("GET /", duration: .milliseconds(5))
    while await updates.next()?.endpoints.isEmpty == true {}
  }
}
