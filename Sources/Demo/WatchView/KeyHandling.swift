import Watcher

extension WatchState {
  /// Handles a key.
  public mutating func handle(_ key: WatchKey) -> [Effect] {
    switch key {
    case .tab, .right: open(next: 1)
    case .backTab, .left: open(next: -1)
    case .up: move(-1)
    case .down: move(1)
    case .pageUp: move(-10)
    case .pageDown: move(10)
    case .character(let character): return handle(character)
    }
    return []
  }

  private mutating func handle(_ character: Character) -> [Effect] {
    switch character {
    case "1": open(.metrics)
    case "2": open(.events)
    case "3": open(.statistics)
    case "k": move(-1)
    case "j": move(1)
    case "+", "=": return moveThreshold(up: true)
    case "-", "_": return moveThreshold(up: false)
    case "n":
      showsNominal.toggle()
      if tab == .events { markRead() }
    case "a": notifies.toggle()
    case "b":
      isInBackground.toggle()
      return [isInBackground ? .enterBackground : .leaveBackground]
    case "\u{c}": return [.redraw]
    case "q": return [.quit]
    default: break
    }
    return []
  }

  private mutating func open(_ tab: Tab) {
    self.tab = tab
    if tab == .events { markRead() }
  }

  private mutating func open(next step: Int) {
    let count = Tab.allCases.count
    open(Tab.allCases[(tab.rawValue + step + count) % count])
  }

  private mutating func move(_ lines: Int) {
    if tab == .metrics {
      selected = min(max(0, selected + lines), max(0, rows.count - 1))
    } else {
      let last = tab == .events ? visibleEvents.count : 8 + (statistics?.endpoints.count ?? 0)
      scrolled[tab] = min(max(0, scrolled[tab, default: 0] + lines), max(0, last - 1))
    }
  }

  private mutating func moveThreshold(up: Bool) -> [Effect] {
    guard tab == .metrics, rows.indices.contains(selected), let threshold = rows[selected].threshold else { return [] }
    let metric = rows[selected].metric
    let next = ThresholdSteps.next(threshold, unit: metric.unit, up: up)
    guard next != threshold else { return [] }
    // The next key may come before the manager is asked again.
    rows[selected].threshold = next
    return [.setThreshold(metric, next)]
  }
}

/// The thresholds that keys reach: of a ratio the multiples of 0.05, of others 1, 2, 5, 10, 20, 50 …
enum ThresholdSteps {
  static func next(_ threshold: Double, unit: Watcher.Metric.Unit, up: Bool) -> Double {
    if unit == .ratio {
      let steps = (threshold * 20).rounded(.toNearestOrAwayFromZero)
      return min(max(0, steps + (up ? 1 : -1)), 20) / 20
    }
    let smallest = unit == .seconds ? 0.001 : 1.0
    guard threshold >= smallest else { return up ? smallest : threshold }
    var power = smallest
    while power * 10 <= threshold * 1.000001, power < 1e15 { power *= 10 }
    let ladder = [power / 2, power, power * 2, power * 5, power * 10]
    let candidates = up ? ladder.filter { $0 > threshold * 1.000001 } : ladder.filter { $0 < threshold * 0.999999 }
    return (up ? candidates.min() : candidates.max().map { max($0, smallest) }) ?? threshold
  }
}
