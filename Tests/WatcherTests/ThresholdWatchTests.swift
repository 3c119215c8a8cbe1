import Testing

@testable import Watcher

@Suite struct ThresholdWatchTests {
  private typealias State = Watcher.ThresholdState

  private func states(
    _ values: [Double?], threshold: Double = 0.8, range: Watcher.ThresholdRange = .lower, hysteresis: Double = 0,
    missing: Watcher.Unavailability = .noDevice("x")
  ) -> [State?] {
    var watch = Watcher.ThresholdWatch(
      threshold: try! Watcher.Quantity(threshold), range: range, hysteresis: hysteresis)
    return values.map { value in
      watch.update(with: value.map { .value(try! Watcher.Quantity($0)) } ?? .unavailable(missing))
    }
  }

  @Test func changesAreEvents() {
    #expect(states([0.1, 0.9, 0.95, 0.1]) == [nil, .critical, nil, .nominal])
  }

  @Test func aNominalFirstValueIsNotAnEvent() {
    #expect(states([0.1]) == [nil])
    #expect(states([0.9]) == [.critical])
  }

  @Test func theThresholdItselfIsCritical() {
    #expect(states([0.8]) == [.critical])
    #expect(states([0.8], range: .upper) == [.critical])
  }

  @Test func theUpperSideIsNominalForABattery() {
    #expect(states([0.9, 0.1, 0.3], threshold: 0.2, range: .upper) == [nil, .critical, .nominal])
  }

  @Test func aValueThatTremblesMakesOneEvent() {
    #expect(states([0.79, 0.81, 0.79, 0.81, 0.74], hysteresis: 0.05) == [nil, .critical, nil, nil, .nominal])
    #expect(
      states([0.25, 0.19, 0.21, 0.26], threshold: 0.2, range: .upper, hysteresis: 0.05)
        == [nil, .critical, nil, .nominal])
  }

  @Test func anotherThresholdJudgesWithoutHysteresis() {
    var watch = Watcher.ThresholdWatch(threshold: try! Watcher.Quantity(0.4), hysteresis: 0.05)
    #expect(watch.update(with: .value(try! Watcher.Quantity(0.5))) == .critical)
    watch.threshold = try! Watcher.Quantity(0.51)
    #expect(watch.update(with: .value(try! Watcher.Quantity(0.5))) == .nominal)
  }

  @Test func aMissingValueIsUnknownUnlessItIsTemporary() {
    #expect(states([0.1, nil, nil, 0.1]) == [nil, .unknown, nil, .nominal])
    #expect(states([0.9, nil, 0.9]) == [.critical, .unknown, .critical])
    #expect(states([nil, 0.1]) == [nil, nil])
    #expect(states([0.9, nil, 0.9], missing: .intervalTooShort) == [.critical, nil, nil])
  }
}
