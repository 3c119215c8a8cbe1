import CoreMetrics
import Watcher

#if !WatcherMetrics
  #error("WatcherMetrics's trait is off: write .package(…, traits: [\"WatcherMetrics\"]), see Docs/packages.md")
#endif

/// Hands every reading of a manager to the program's swift-metrics backend.
///
/// The names are those that dashboards know: `system_cpu_utilization` and `process_resident_memory_bytes` and so on, after
/// OpenTelemetry's semantic conventions for systems and Prometheus' for processes.
public final class WatcherMetricsBridge: Sendable {
  private let task: Task<Void, Never>

  /// Begins to hand readings over; ends when the bridge goes.
  ///
  /// - Parameters:
  ///   - manager: Whose readings they are.
  ///   - name: The gauge's name; the ecosystem's name for the metric unless said.
  ///   - factory: The backend; the one that the program set up unless said.
  public init(
    _ manager: any Watcher.MetricManagerUseCase, name: String? = nil, factory: (any MetricsFactory)? = nil
  ) {
    let gauge = Gauge(
      label: name ?? Self.name(of: manager.metric), dimensions: [], factory: factory ?? MetricsSystem.factory)
    let values = manager.publisher
    task = Task { for await value in values { gauge.record(value) } }
  }

  deinit { task.cancel() }

  /// What the ecosystem calls a metric.
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
