import Testing

@testable import Watcher

@Suite struct RateMeterTests {
  private func share(_ part: UInt64, _ whole: UInt64, at milliseconds: UInt64, source: UInt64 = 0) -> Watcher.Sample {
    Watcher.Sample(.share(of: part, in: whole), at: milliseconds * 1_000_000, source: source)
  }

  @Test func aShareIsThatOfTheGrowth() {
    var meter = Watcher.RateMeter()
    #expect(meter.reading(of: share(1000, 8000, at: 0)).unavailability == .firstSample)
    #expect(meter.reading(of: share(1025, 8100, at: 1000)).value == 0.25)
    #expect(meter.reading(of: share(1125, 8200, at: 2000)).value == 1)
  }

  /// 0/0, the story's NaN: within one of the kernel's ticks nothing has grown.
  @Test func withinATickThereIsNoRate() {
    var meter = Watcher.RateMeter()
    _ = meter.reading(of: share(10, 100, at: 0))
    #expect(meter.reading(of: share(10, 100, at: 1)).unavailability == .intervalTooShort)
    #expect(meter.reading(of: share(10, 100, at: 50)).unavailability == .intervalTooShort)
    #expect(meter.reading(of: share(15, 110, at: 100)).value == 0.5, "the beginning has stayed")
  }

  @Test func twoConsumersDoNotShareAPreviousSample() {
    var one = Watcher.RateMeter()
    _ = one.reading(of: share(0, 0, at: 0))
    var other = one
    #expect(one.reading(of: share(5, 10, at: 100)).value == 0.5)
    #expect(other.reading(of: share(5, 10, at: 100)).value == 0.5)
  }

  @Test func aCounterThatWentBackIsAReason() {
    var meter = Watcher.RateMeter()
    _ = meter.reading(of: share(10, 100, at: 0))
    #expect(meter.reading(of: share(9, 110, at: 100)).unavailability == .counterWentBack("part"))
    #expect(meter.reading(of: share(12, 120, at: 200)).value == 0.3, "the next one starts from there")
    #expect(meter.reading(of: share(13, 119, at: 300)).unavailability == .counterWentBack("whole"))
  }

  @Test func aPartBeyondItsWholeIsOutOfRange() {
    var meter = Watcher.RateMeter()
    _ = meter.reading(of: share(0, 0, at: 0))
    #expect(meter.reading(of: share(30, 20, at: 100)).unavailability == .outOfRange(1.5))
  }

  /// All processors are busy, and `iowait` decreases: 100 ticks more of 99.
  @Test func aWholeThatGrewLessThanItsPartIsACounterThatWentBack() {
    var meter = Watcher.RateMeter()
    _ = meter.reading(of: share(500, 1000, at: 0))
    #expect(meter.reading(of: share(600, 1099, at: 1000)).unavailability == .counterWentBack("rest"))
    #expect(meter.reading(of: share(650, 1199, at: 2000)).value == 0.5)
  }

  @Test func countersOfAnotherSourceStartAfresh() {
    var meter = Watcher.RateMeter()
    _ = meter.reading(of: share(10, 100, at: 0, source: 1))
    #expect(meter.reading(of: share(2, 5, at: 100, source: 2)).unavailability == .firstSample)
  }

  @Test func aCountIsItsGrowthASecond() {
    var meter = Watcher.RateMeter()
    _ = meter.reading(of: Watcher.Sample(.count(1 << 63, scale: 2), at: 0))
    let after = Watcher.Sample(.count(1 << 63 + 500, scale: 2), at: 500_000_000)
    #expect(meter.reading(of: after).value == 2000)
  }

  @Test func aClockThatWentBackIsTooShortAnInterval() {
    var meter = Watcher.RateMeter()
    _ = meter.reading(of: share(1, 10, at: 500))
    #expect(meter.reading(of: share(2, 20, at: 100)).unavailability == .intervalTooShort)
  }
}

@Suite struct QuantityTests {
  @Test(arguments: [(Double.nan, "nan"), (.signalingNaN, "nan"), (.infinity, "inf"), (-.infinity, "-inf")])
  func nonFiniteIsRefused(_ value: Double, _ name: String) {
    #expect(throws: Watcher.Unavailability.notFinite(name)) { try Watcher.Quantity(value) }
    #expect(throws: Watcher.Unavailability.notFinite(name)) { try Watcher.Quantity(ratio: value) }
  }

  @Test(arguments: [-0.01, 1.0001, 100]) func aRatioIsNotMovedToTheNearestEnd(_ value: Double) {
    #expect(throws: Watcher.Unavailability.outOfRange(value)) { try Watcher.Quantity(ratio: value) }
  }

  private struct Legacy: Watcher.MetricProviderUseCase {
    var value: Float
    func fetchMetric() throws -> Float { value }
  }
  private struct Failing: Watcher.MetricProviderUseCase {
    struct Broken: Error {}
    func fetchMetric() throws -> Float { throw Broken() }
  }

  @Test func theOlderShapeIsAdapted() {
    func content(_ value: Float, _ metric: Watcher.Metric = .cpuLoad) -> Watcher.Sample.Content {
      Watcher.AdaptedProvider(Legacy(value: value), metric: metric).sample().content
    }
    #expect(content(0.5) == .level(try! Watcher.Quantity(0.5)))
    #expect(content(.nan) == .unavailable(.notFinite("nan")))
    #expect(content(1.5) == .unavailable(.outOfRange(1.5)))
    #expect(content(1.5, .launchTime) == .level(try! Watcher.Quantity(1.5)))
    let broken = Watcher.AdaptedProvider(Failing(), metric: .cpuLoad).sample().content
    #expect(broken == .unavailable(.failed("Broken()")))
  }
}
