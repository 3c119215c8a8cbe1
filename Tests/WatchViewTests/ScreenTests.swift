import CrashReportModel
import Testing
import Watcher

@testable import WatchView

let plainStyle = ViewStyle(hasColour: false, hasAttributes: false, hasUnicode: false)

func row(_ name: String, _ value: Double?, threshold: Double? = 0.8, unit: Watcher.Metric.Unit = .ratio)
  -> WatchState.Row
{
  let isCritical = value.map { $0 >= threshold ?? .infinity } ?? false
  return WatchState.Row(
    metric: Watcher.Metric(name, unit: unit),
    reading: value.map { .value(try! Watcher.Quantity($0)) } ?? .unavailable(.noDevice("battery")),
    threshold: threshold, state: value == nil ? .unknown : isCritical ? .critical : .nominal)
}

func event(_ date: Double, _ state: Watcher.ThresholdState) -> Watcher.MetricThresholdEvent {
  Watcher.MetricThresholdEvent(date: date, state: state, value: 0.9, metric: .cpuLoad, threshold: 0.8)
}

@Suite struct ScreenTests {
  private let size = ViewSize(columns: 80, lines: 24)

  @Test func aGaugeAMetric() {
    var state = WatchState()
    state.rows = [row("cpu.load", 0.5), row("battery.level", nil)]
    let lines = state.lines(size, plainStyle)
    #expect(lines.count == 24)
    #expect(lines[0].hasPrefix("[1 Metrics]  2 Events   3 Statistics"))
    #expect(lines[2].contains("cpu.load"))
    #expect(lines[2].contains("[#############"))
    #expect(lines[2].contains("50.0 % nominal  < 80.0 %"))
    #expect(lines[3].contains("no device: battery"))
    #expect(lines[23].contains("q quit"))
  }

  @Test func theGaugeIsFilledByItsPart() {
    func gauge(_ value: Double) -> Substring? {
      var state = WatchState()
      state.rows = [row("cpu.load", value, threshold: nil)]
      let line = state.lines(size, plainStyle)[2]
      guard let start = line.firstIndex(of: "["), let end = line.firstIndex(of: "]") else { return nil }
      return line[line.index(after: start)..<end]
    }
    #expect(gauge(0)?.contains("#") == false)
    #expect(gauge(1)?.contains("-") == false)
    let half = gauge(0.5)!
    #expect(abs(half.count { $0 == "#" } - half.count / 2) <= 1)
  }

  @Test func criticalMetricsStandOutUntilTheyRecover() {
    var state = WatchState()
    let style = ViewStyle(hasUnicode: false)
    state.rows = [row("cpu.load", 0.9)]
    #expect(state.lines(size, style)[2].contains("\u{1b}[1;31m CRITICAL"))
    state.rows = [row("cpu.load", 0.1)]
    let calm = state.lines(size, style)[2]
    #expect(calm.contains("nominal") && !calm.contains("31m"))
  }

  @Test func withoutColoursTheyStandOutByText() {
    var state = WatchState()
    state.rows = [row("cpu.load", 0.9)]
    let line = state.lines(size, ViewStyle(hasColour: false))[2]
    #expect(line.contains("\u{1b}[1;7m CRITICAL") && !line.contains("31"))
  }

  @Test(arguments: [(1, 1), (3, 2), (10, 3), (20, 4), (40, 5), (12, 24), (200, 60)])
  func noScreenIsTooSmall(_ columns: Int, _ count: Int) {
    var state = WatchState()
    state.rows = (0..<30).map { row("metric.\($0)", 0.5) }
    for key in ["1", "2", "3"] as [Character] {
      _ = state.handle(.character(key))
      let lines = state.lines(
        ViewSize(columns: columns, lines: count), ViewStyle(hasColour: false, hasAttributes: false))
      #expect(lines.count == count)
      #expect(lines.allSatisfy { Columns.count($0) <= columns })
    }
  }

  @Test func theChosenMetricIsAlwaysOnTheScreen() {
    var state = WatchState()
    state.rows = (0..<30).map { row("metric.\($0)", 0.5) }
    for _ in 0..<25 { _ = state.handle(.down) }
    let lines = state.lines(ViewSize(columns: 80, lines: 12), plainStyle)
    #expect(lines.contains { $0.hasPrefix("> metric.25") })
  }

  @Test func asciiIfTheLocaleIsNotUTF8() {
    var state = WatchState()
    state.rows = [row("caf\u{e9}", 0.5)]
    let ascii = state.lines(size, ViewStyle(environment: ["LANG": "C"]))
    #expect(ascii.allSatisfy { $0.allSatisfy(\.isASCII) } && ascii[2].contains("caf?"))
    let unicode = state.lines(size, ViewStyle(environment: ["LANG": "de_DE.UTF-8", "LC_ALL": ""]))
    #expect(unicode[2].contains("\u{2588}") && unicode[2].contains("caf\u{e9}"))
    #expect(!ViewStyle(environment: ["LANG": "de_DE.UTF-8", "LC_ALL": "C"]).hasUnicode)
    #expect(!ViewStyle(environment: ["NO_COLOR": "1"]).hasColour)
    #expect(ViewStyle(environment: ["NO_COLOR": ""]).hasColour)
  }

  @Test func aNameCannotDriveTheTerminal() {
    var state = WatchState()
    state.rows = [row("x\u{1b}[2J\u{9b}31m\u{202e}y", 0.5)]
    let line = state.lines(size, ViewStyle(hasColour: false, hasAttributes: false))[2]
    #expect(line.contains("x?[2J?31m?y"))
  }

  @Test func statistics() {
    let times = Watcher.ResponseTimes()
    times.record("GET /facts", duration: .milliseconds(20))
    times.record("GET /facts", duration: .milliseconds(30), failed: true)
    var state = WatchState()
    state.statistics = Watcher.Statistics(
      applicationName: "api", applicationVersion: "2.1", deviceMake: nil, deviceModel: "Rocket 3", system: "Some Linux",
      memoryInUse: 12_345_678, endpoints: times.endpoints)
    _ = state.handle(.character("3"))
    let text = state.lines(size, plainStyle).joined(separator: "\n")
    for part in [
      "Application    api", "Version        2.1", "Device make    unknown", "Device model   Rocket 3",
      "OS             Some Linux", "Memory in use  12.3 MB",
    ] { #expect(text.contains(part)) }
    #expect(text.contains(/GET \/facts +2 +1 +25\.0 ms +\d\d:\d\d:\d\d/))
  }
}

@Suite struct FigureTests {
  @Test func figures() {
    let units: [(Watcher.Metric.Unit, String)] = [
      (.ratio, "42.6 %"), (.bytes, "0 B"), (.bytesPerSecond, "0 B/s"), (.seconds, "425.6 ms"), (.count, "0.4"),
    ]
    for (unit, text) in units { #expect(Figures.text(0.4256, unit) == text) }
    #expect(Figures.time(3661, ViewStyle()) == "01:01:01")
    #expect(Figures.time(0, ViewStyle(timeOffset: -3600)) == "23:00:00")
  }

  @Test func bothEndsOfALongNameAreShown() {
    #expect(Columns.cutMiddle("GET http://host/page", to: 12) == "GET ..t/page")
    #expect(Columns.cutMiddle("cpu.load", to: 8) == "cpu.load")
    #expect(Columns.cutMiddle("cpu.load", to: 4) == "cpu.")
    #expect(Columns.count(Columns.cutMiddle("\u{6f22}\u{6f22}\u{6f22}\u{6f22}", to: 7)) <= 7)
  }

  @Test func wideCharactersTakeTwoPlaces() {
    #expect(Columns.count("\u{6f22}a") == 3)
    #expect(Columns.cut("\u{6f22}\u{6f22}", to: 3) == "\u{6f22}")
    #expect(Columns.pad("\u{6f22}", to: 4) == "\u{6f22}  ")
  }

  @Test func plainLines() {
    let rows = [row("cpu.load", 0.9), row("battery.level", nil)]
    #expect(PlainLines.metrics(rows, at: 0, plainStyle) == "00:00:00  cpu.load 90.0 % CRITICAL")
    #expect(PlainLines.unavailable(rows[1], at: 0, plainStyle) == "00:00:00  battery.level: no device: battery")
    #expect(
      PlainLines.event(event(1, .critical), plainStyle) == "00:00:01  CRITICAL  cpu.load  90.0 %  (threshold 80.0 %)")
  }
}
