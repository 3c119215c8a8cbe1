import Watcher

/// Every provider that this machine's own files serve, and two that the program itself feeds.
let times: Watcher.ResponseTimes = {
  let times = Watcher.ResponseTimes()
  for call in 1...1000 { times.record("GET /", duration: .microseconds(call * 37)) }
  return times
}()

let providers: [any Watcher.MetricProvider] = [
  Watcher.SystemCPULoad(), Watcher.ProcessCPULoad(), Watcher.ContainerCPULoad(), Watcher.SystemMemoryLoad(),
  Watcher.ProcessMemory(), Watcher.MemoryLimitLoad(), Watcher.BatteryLevel(), Watcher.DiskSpace(),
  Watcher.DiskActivity.reads(), Watcher.DiskActivity.writes(), Watcher.NetworkActivity.received(),
  Watcher.NetworkActivity.sent(), Watcher.PressureStall.cpu(), Watcher.PressureStall.memory(),
  Watcher.PressureStall.io(), Watcher.launchTime, Watcher.ResponseTime(of: "GET /", .percentile99, in: times),
]

/// The file that a provider reads first, for the bare cost of reading it.
let files: [Watcher.Metric: String] = [
  .cpuLoad: "/proc/stat", .memoryLoad: "/proc/meminfo", .processMemory: "/proc/self/statm",
  .diskReads: "/proc/self/io", .networkReceived: "/proc/self/net/dev", .cpuPressure: "/proc/pressure/cpu",
  .containerCPULoad: "/proc/self/mountinfo", .launchTime: "/proc/self/stat",
]

/// A metric that changes sides at each sample, an hour in a moment: its clock is its own.
final class Pendulum: Watcher.MetricProvider, @unchecked Sendable {
  let metric: Watcher.Metric
  private var count: UInt64 = 0

  init(_ name: String) { metric = Watcher.Metric(name, unit: .ratio) }

  /// Called on its manager's queue alone.
  func sample() -> Watcher.Sample {
    count += 1
    let level = (try? Watcher.Quantity(count.isMultiple(of: 2) ? 0.9 : 0.1)) ?? .zero
    return Watcher.Sample(.level(level), at: count * 1_000_000_000)
  }
}
