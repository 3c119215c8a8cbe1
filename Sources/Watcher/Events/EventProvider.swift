import CrashKit
import Synchronization

extension Watcher {
  /// Gathers the events of any number of managers into one stream, and records a breadcrumb for each event. You may use
  /// it from any thread.
  public final class EventProvider: Sendable {
    private let tasks = Mutex<[Metric: Task<Void, Never>]>([:])
    private let source = Broadcast<MetricThresholdEvent>(repeatsNewest: false, kept: 256)

    /// Makes an event provider without managers.
    public init() {}

    deinit {
      for task in tasks.withLock({ $0.values }) { task.cancel() }
      source.finish()
    }

    /// All events from now on. At most 256 events wait for a slow listener. Each further event replaces the oldest one
    /// that waits.
    public var events: Values<MetricThresholdEvent> { source.values }

    /// Listens to a manager from now on, and no longer to an earlier manager of the same metric.
    public func register(_ manager: any MetricManagerUseCase, for metric: Metric) {
      // Before the task starts: what happens from here on is an event.
      let changes = manager.thresholdChanges.makeAsyncIterator()
      let source = source
      let task = Task {
        var changes = changes
        while let change = await changes.next() { Self.tell(change, of: metric, to: source) }
      }
      tasks.withLock { $0.updateValue(task, forKey: metric) }?.cancel()
    }

    /// The metrics whose managers are registered, sorted by name.
    public var metrics: [Metric] { tasks.withLock { $0.keys.sorted { $0.name < $1.name } } }

    private static func tell(
      _ change: ThresholdChange, of metric: Metric, to source: Broadcast<MetricThresholdEvent>
    ) {
      let event = MetricThresholdEvent(
        date: change.date, state: change.state, value: change.value, metric: metric, threshold: change.threshold)
      CrashKit.record(
        "\(metric) is \(event.state.rawValue)", category: "watcher", level: event.state == .critical ? .warning : .info)
      source.send(event)
    }
  }
}
