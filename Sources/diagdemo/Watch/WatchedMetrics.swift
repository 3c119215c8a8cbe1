import WatchView
import Watcher

/// The managers whose metrics are watched: the three that Watcher has, one for each other provider, and one for each URL.
struct WatchedMetrics {
  let managers: [Watcher.MetricManager]

  init(refreshFrequency: Double, poller: ResponsePoller?, urls: [String]) {
    Watcher.configure(refreshFrequency: refreshFrequency)
    let others: [(any Watcher.MetricProvider, Double)] = [
      (Watcher.ProcessCPULoad(), 0.5), (Watcher.ContainerCPULoad(), 0.9), (Watcher.MemoryLimitLoad(), 0.9),
      (Watcher.ProcessMemory(), 1e9), (Watcher.DiskSpace(), 0.9), (Watcher.DiskActivity.reads(), 1e8),
      (Watcher.DiskActivity.writes(), 1e8), (Watcher.NetworkActivity.received(), 1e8),
      (Watcher.NetworkActivity.sent(), 1e8), (Watcher.PressureStall.cpu(), 0.5), (Watcher.PressureStall.memory(), 0.2),
      (Watcher.PressureStall.io(), 0.2), (Watcher.launchTime, 1),
    ]
    let answers = poller.map { poller in
      urls.map { (Watcher.ResponseTime(of: ResponsePoller.endpoint($0), in: poller.times), 0.5) }
    }
    let own = (others + (answers ?? [])).map { provider, threshold in
      Watcher.MetricManager(metricProvider: provider, threshold: threshold, refreshFrequency: refreshFrequency)
    }
    managers = [Watcher.cpuLoadManager, Watcher.memoryLoadManager, Watcher.batteryLevelManager] + own
    for manager in own { Watcher.eventProvider.register(manager, for: manager.metric) }
    for manager in managers { manager.enableBackgroundFetching() }
  }

  /// Begins to sample what does not sample yet.
  func start() {
    for manager in managers { manager.start() }
  }

  func manager(_ name: String) -> Watcher.MetricManager? { managers.first { $0.metric.name == name } }

  var rows: [WatchState.Row] {
    managers.map { manager in
      WatchState.Row(
        metric: manager.metric, reading: manager.reading, threshold: manager.threshold, range: manager.thresholdRange,
        state: manager.thresholdState)
    }
  }
}
