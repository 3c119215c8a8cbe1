extension Watcher {
  /// The load of the machine's processors. It samples from its first use on.
  public static var cpuLoadManager: MetricManager { shared.cpu }
  /// The load of the machine's memory. It samples from its first use on.
  public static var memoryLoadManager: MetricManager { shared.memory }
  /// How full the battery is. It samples from its first use on.
  public static var batteryLevelManager: MetricManager { shared.battery }
  /// The events of these three.
  public static var eventProvider: EventProvider { shared.events }

  /// Sets what the three managers compare with, and how often they sample. What is left out stays as it is. May be called
  /// at any time, and again; managers that are at work follow.
  ///
  /// - Parameters:
  ///   - cpuThreshold: Of ``cpuLoadManager``, 0…1; 0.8 at first.
  ///   - memoryLoadThreshold: Of ``memoryLoadManager``, 0…1; 0.8 at first.
  ///   - batteryLevelThreshold: Of ``batteryLevelManager``, 0…1; 0.2 at first.
  ///   - refreshFrequency: Seconds between two samples; 1 at first.
  public static func configure(
    cpuThreshold: Double? = nil, memoryLoadThreshold: Double? = nil, batteryLevelThreshold: Double? = nil,
    refreshFrequency: Double? = nil
  ) {
    let managers = shared
    if let cpuThreshold { managers.cpu.threshold = cpuThreshold }
    if let memoryLoadThreshold { managers.memory.threshold = memoryLoadThreshold }
    if let batteryLevelThreshold { managers.battery.threshold = batteryLevelThreshold }
    guard let refreshFrequency else { return }
    for manager in managers.all { manager.refreshFrequency = refreshFrequency }
  }

  /// Goes on sampling in the background, more slowly: see ``MetricManager/enableBackgroundFetching(every:)``.
  public static func enableBackgroundFetching(every seconds: Double? = nil) {
    for manager in shared.all { manager.enableBackgroundFetching(every: seconds) }
  }

  private struct Shared: Sendable {
    let cpu = MetricManager(metricProvider: SystemCPULoad(), threshold: 0.8)
    let memory = MetricManager(metricProvider: SystemMemoryLoad(), threshold: 0.8)
    let battery = MetricManager(metricProvider: BatteryLevel(), threshold: 0.2)
    let events = EventProvider()

    var all: [MetricManager] { [cpu, memory, battery] }

    init() {
      for manager in all {
        events.register(manager, for: manager.metric)
        manager.start()
      }
    }
  }

  private static let shared = Shared()
}
