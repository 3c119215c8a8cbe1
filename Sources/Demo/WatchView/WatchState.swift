import Watcher

/// The state that `diagdemo watch` shows. Keys and events change the state. The state does not use the terminal: it
/// returns effects, and its caller carries them out.
public struct WatchState: Sendable, Equatable {
  public enum Tab: Int, Sendable, CaseIterable {
    case metrics, events, statistics

    var title: String {
      switch self {
      case .metrics: "Metrics"
      case .events: "Events"
      case .statistics: "Statistics"
      }
    }
  }

  /// A metric, with the reading and the threshold of the metric's manager.
  public struct Row: Sendable, Equatable {
    public var metric: Watcher.Metric
    public var reading: Watcher.Reading
    /// The threshold in the metric's unit; `nil` if there is none.
    public var threshold: Double?
    public var range: Watcher.ThresholdRange
    public var state: Watcher.ThresholdState

    public init(
      metric: Watcher.Metric, reading: Watcher.Reading, threshold: Double?, range: Watcher.ThresholdRange = .lower,
      state: Watcher.ThresholdState
    ) {
      self.metric = metric
      self.reading = reading
      self.threshold = threshold
      self.range = range
      self.state = state
    }
  }

  struct Entry: Sendable, Equatable {
    var event: Watcher.MetricThresholdEvent
    var isRead: Bool
  }

  /// An action that the caller of the state must carry out.
  public enum Effect: Sendable, Equatable {
    case setThreshold(Watcher.Metric, Double)
    case enterBackground
    case leaveBackground
    case notify(Watcher.MetricThresholdEvent)
    /// Redraw the whole screen, because another program may have written on it.
    case redraw
    case quit
  }

  /// The highest number of kept events. The oldest are removed first.
  public static let mostEvents = 1000

  public internal(set) var tab = Tab.metrics
  public var rows: [Row] = []
  public var statistics: Watcher.Statistics?
  /// An error that does not belong to a metric, in one line.
  public var trouble: String?
  /// Seconds between two samples, in the foreground and in the background.
  public var pace: (foreground: Double, background: Double) {
    get { (foregroundPace, backgroundPace) }
    set { (foregroundPace, backgroundPace) = newValue }
  }
  private var foregroundPace = 1.0
  private var backgroundPace = 10.0
  /// The newest first.
  var entries: [Entry] = []
  public internal(set) var showsNominal = true
  public internal(set) var notifies: Bool
  public internal(set) var isInBackground = false
  var selected = 0
  /// How many lines of the events and of the statistics lie above the screen.
  var scrolled: [Tab: Int] = [:]

  public init(notifies: Bool = false, showsNominal: Bool = true) {
    self.notifies = notifies
    self.showsNominal = showsNominal
  }

  /// The events to show, newest first. ``showsNominal`` decides whether nominal events are among them.
  public var visibleEvents: [Watcher.MetricThresholdEvent] { visibleEntries.map(\.event) }

  /// How many events of ``visibleEvents`` the user has not seen yet.
  public var unread: Int { visibleEntries.count { !$0.isRead } }

  private var visibleEntries: [Entry] { entries.filter { isWanted($0.event) } }

  private func isWanted(_ event: Watcher.MetricThresholdEvent) -> Bool { showsNominal || event.state != .nominal }

  /// Adds an event.
  public mutating func receive(_ event: Watcher.MetricThresholdEvent) -> [Effect] {
    entries.insert(Entry(event: event, isRead: tab == .events && isWanted(event)), at: 0)
    if entries.count > Self.mostEvents { entries.removeLast() }
    return notifies && isWanted(event) ? [.notify(event)] : []
  }

  /// Adds events of an earlier run, and marks them as seen. The newest event must come first.
  public mutating func recall(_ events: [Watcher.MetricThresholdEvent]) {
    entries += events.prefix(Self.mostEvents - entries.count).map { Entry(event: $0, isRead: true) }
  }

  mutating func markRead() {
    for index in entries.indices where isWanted(entries[index].event) { entries[index].isRead = true }
  }
}
