import Testing
import Watcher

@testable import WatchView

@Suite struct KeyTests {
  @Test func keysOfATerminal() {
    var decoder = KeyDecoder()
    #expect(
      decoder.keys(of: Array("q\u{1b}[A\u{1b}OB\t\u{1b}[Z\u{1b}[5~".utf8))
        == [.character("q"), .up, .down, .tab, .backTab, .pageUp])
    #expect(decoder.keys(of: Array("\u{1b}[15;2~\u{1}x".utf8)) == [.character("x")], "unknown keys are left out")
  }

  @Test func aKeyMayComeInParts() {
    var decoder = KeyDecoder()
    #expect(decoder.keys(of: [0x1b]) == [] && decoder.isWaiting)
    #expect(decoder.keys(of: Array("[".utf8)) == [])
    #expect(decoder.keys(of: Array("C".utf8)) == [.right] && !decoder.isWaiting)
    _ = decoder.keys(of: [0x1b])
    decoder.giveUpWaiting()
    #expect(decoder.keys(of: Array("q".utf8)) == [.character("q")])
  }

  @Test func tabsAreOpened() {
    var state = WatchState()
    _ = state.handle(.tab)
    #expect(state.tab == .events)
    _ = state.handle(.left)
    _ = state.handle(.backTab)
    #expect(state.tab == .statistics)
    _ = state.handle(.character("1"))
    #expect(state.tab == .metrics)
  }

  @Test func thresholdsMove() {
    var state = WatchState()
    state.rows = [row("cpu.load", 0.5, threshold: 0.8), row("x", 0.5, threshold: nil), row("y", 1, threshold: 1)]
    #expect(state.handle(.character("+")) == [.setThreshold(Watcher.Metric("cpu.load", unit: .ratio), 0.85)])
    #expect(state.handle(.character("+")) == [.setThreshold(Watcher.Metric("cpu.load", unit: .ratio), 0.9)])
    #expect(state.handle(.character("-")) == [.setThreshold(Watcher.Metric("cpu.load", unit: .ratio), 0.85)])
    _ = state.handle(.down)
    #expect(state.handle(.character("+")).isEmpty, "where there is none, none moves")
    _ = state.handle(.down)
    #expect(state.handle(.character("+")).isEmpty, "a ratio ends at 1")
    _ = state.handle(.character("2"))
    #expect(state.handle(.character("-")).isEmpty, "on its own tab only")
  }

  @Test(arguments: [(1e8, 2e8, 5e7), (2e8, 5e8, 1e8), (1.5e8, 2e8, 1e8), (1, 2, 1), (0, 1, 0)])
  func stepsOfAmounts(_ threshold: Double, _ up: Double, _ down: Double) {
    #expect(ThresholdSteps.next(threshold, unit: .bytes, up: true) == up)
    #expect(ThresholdSteps.next(threshold, unit: .bytes, up: false) == down)
  }

  @Test func otherKeys() {
    var state = WatchState()
    #expect(state.handle(.character("b")) == [.enterBackground])
    #expect(state.isInBackground)
    #expect(state.handle(.character("b")) == [.leaveBackground])
    #expect(state.handle(.character("\u{c}")) == [.redraw])
    #expect(state.handle(.character("q")) == [.quit])
    #expect(state.handle(.character("z")).isEmpty)
  }
}

@Suite struct EventTests {
  @Test func theNewestIsFirstAndOpeningTheTabReadsAll() {
    var state = WatchState()
    for date in 1...3 { _ = state.receive(event(Double(date), .critical)) }
    #expect(state.visibleEvents.map(\.date) == [3, 2, 1])
    #expect(state.unread == 3)
    #expect(state.lines(ViewSize(columns: 80, lines: 24), plainStyle)[0].contains("2 Events (3)"))
    _ = state.handle(.character("2"))
    #expect(state.unread == 0)
    _ = state.receive(event(4, .critical))
    #expect(state.unread == 0, "what comes while they are on the screen is read")
    _ = state.handle(.character("1"))
    _ = state.receive(event(5, .critical))
    #expect(state.unread == 1)
  }

  @Test func nominalOnesAreShownOrNot() {
    var state = WatchState(notifies: true)
    #expect(state.receive(event(1, .nominal)) == [.notify(event(1, .nominal))])
    #expect(state.receive(event(2, .critical)) == [.notify(event(2, .critical))])
    _ = state.handle(.character("n"))
    #expect(state.visibleEvents.map(\.date) == [2] && state.unread == 1)
    #expect(state.receive(event(3, .nominal)).isEmpty, "notifications follow the switch")
    _ = state.handle(.character("2"))
    _ = state.handle(.character("n"))
    #expect(state.visibleEvents.map(\.date) == [3, 2, 1] && state.unread == 0)
  }

  @Test func notificationsAreOnOrOffInTheBackgroundToo() {
    var state = WatchState()
    #expect(state.receive(event(1, .critical)).isEmpty)
    _ = state.handle(.character("a"))
    _ = state.handle(.character("b"))
    #expect(state.receive(event(2, .critical)) == [.notify(event(2, .critical))])
  }

  @Test func thereIsAnEmptyState() {
    var state = WatchState()
    _ = state.handle(.character("2"))
    func text() -> String { state.lines(ViewSize(columns: 80, lines: 24), plainStyle).joined() }
    #expect(text().contains("No events yet"))
    _ = state.handle(.character("n"))
    _ = state.receive(event(1, .nominal))
    #expect(text().contains("No events but nominal ones"))
  }

  @Test func eventsAreBoundedAndThoseOfEarlierRunsAreRead() {
    var state = WatchState()
    _ = state.receive(event(1, .critical))
    state.recall((0..<2000).map { event(-Double($0), .critical) })
    #expect(state.visibleEvents.count == WatchState.mostEvents && state.unread == 1)
    _ = state.receive(event(2, .critical))
    #expect(state.visibleEvents.count == WatchState.mostEvents && state.visibleEvents.first?.date == 2)
  }

  @Test func scrollingStaysWithinTheEvents() {
    var state = WatchState()
    _ = state.handle(.character("2"))
    for date in 1...40 { _ = state.receive(event(Double(date), .critical)) }
    for _ in 0..<50 { _ = state.handle(.pageDown) }
    let lines = state.lines(ViewSize(columns: 80, lines: 24), plainStyle)
    #expect(lines.contains { $0.contains("00:00:01") })
    for _ in 0..<50 { _ = state.handle(.pageUp) }
    #expect(state.lines(ViewSize(columns: 80, lines: 24), plainStyle)[2].contains("00:00:40"))
  }
}
