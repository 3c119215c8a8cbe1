extension Watcher {
  /// Measures the load of the machine's processors. It starts when the program first uses a shared manager.
  public static var cpuLoadManager: MetricManager { shared.cpu }
  /// Measures the load of the machine's memory. It starts when the program first uses a shared manager.
  public static var memoryLoadManager: MetricManager { shared.memory }
  /// Measures how full the battery is. It starts when the program first uses a shared manager.
  public static var batteryLevelManager: MetricManager { shared.battery }
  /// The threshold events of these three managers.
  public static var eventProvider: EventProvider { shared.events }

  /// Sets the thresholds of the three managers, and how often they sample. Values that you leave out do not change. You
  /// may call it at any time and repeatedly; running managers use the new values.
  ///
  /// - Parameters:
  ///   - cpuThreshold: The threshold of ``cpuLoadManager``, 0…1; 0.8 at first.
  ///   - memoryLoadThreshold: The threshold of ``memoryLoadManager``, 0…1; 0.8 at first.
  ///   - batteryLevelThreshold: The threshold of ``batteryLevelManager``, 0…1; 0.2 at first.
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

  /// Makes the three managers sample more slowly while the program is in the background, instead of not at all: see
  /// ``MetricManager/enableBackgroundFetching(every:)``.
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
