import CoreMetrics
import Watcher

#if !WatcherMetrics
  #error("WatcherMetrics's trait is off: write .package(…, traits: [\"WatcherMetrics\"]), see Docs/packages.md")
#endif

/// Passes every reading of a manager to the program's swift-metrics backend.
///
/// It uses the names that dashboards know, such as `system_cpu_utilization` and `process_resident_memory_bytes`. Names
/// for the system follow OpenTelemetry's semantic conventions, and names for the process follow Prometheus'
/// conventions.
public final class WatcherMetricsBridge: Sendable {
  private let task: Task<Void, Never>

  /// Passes readings on, from now until you release the bridge.
  ///
  /// - Parameters:
  ///   - manager: The manager whose readings are passed on.
  ///   - name: The gauge's name; by default the common name of the metric in dashboards.
  ///   - factory: The backend; by default the program's own.
  public init(
    _ manager: any Watcher.MetricManagerUseCase, name: String? = nil, factory: (any MetricsFactory)? = nil
  ) {
    let gauge = Gauge(
      label: name ?? Self.name(of: manager.metric), dimensions: [], factory: factory ?? MetricsSystem.factory)
    let values = manager.publisher
    task = Task { for await value in values { gauge.record(value) } }
  }

  deinit { task.cancel() }

  /// The common name of a metric in dashboards.
  public static func name(of metric: Watcher.Metric) -> String {
    known[metric] ?? metric.name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
  }

  private static let known: [Watcher.Metric: String] = [
    .cpuLoad: "system.cpu.utilization",
    .processCPULoad: "process_cpu_utilization",
    .memoryLoad: "system.memory.utilization",
    .processMemory: "process_resident_memory_bytes",
    .diskSpace: "system.filesystem.utilization",
    .diskReads: "process_disk_read_bytes_per_second",
    .diskWrites: "process_disk_written_bytes_per_second",
    .networkReceived: "system.network.received_bytes_per_second",
    .networkSent: "system.network.sent_bytes_per_second",
    .launchTime: "process_launch_seconds",
  ]
}
