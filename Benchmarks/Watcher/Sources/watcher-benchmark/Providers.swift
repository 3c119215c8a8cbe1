import Watcher

/// Every provider that this machine's own files serve, and two that the program itself feeds.
let times: Watcher.ResponseTimes = {
  let times = Watcher.ResponseTimes()
  for call in 1...1000 { times.record("GET /", duration: .microseconds(call * 37)) }
  return times
}()

func makeProviders(_ root: Watcher.SystemRoot) -> [any Watcher.MetricProvider] {
  [
    Watcher.SystemCPULoad(root: root), Watcher.ProcessCPULoad(), Watcher.ContainerCPULoad(root: root),
    Watcher.SystemMemoryLoad(root: root), Watcher.ProcessMemory(root: root), Watcher.MemoryLimitLoad(root: root),
    Watcher.BatteryLevel(root: root), Watcher.DiskSpace(), Watcher.DiskActivity.reads(root: root),
    Watcher.DiskActivity.writes(root: root), Watcher.NetworkActivity.received(root: root),
    Watcher.NetworkActivity.sent(root: root), Watcher.PressureStall.cpu(root: root),
    Watcher.PressureStall.memory(root: root), Watcher.PressureStall.io(root: root), Watcher.launchTime,
    Watcher.ResponseTime(of: "GET /", .percentile99, in: times),
  ]
}

/// As a program has them: those that read the same file share a look where they ask within a moment.
let providers = makeProviders(.machine)
/// The same files by another path, of which no look is shared.
let alone = makeProviders(Watcher.SystemRoot("/."))

/// The files that a provider reads at each sample, for the bare cost of reading them.
let files: [Watcher.Metric: [String]] = {
  var files: [Watcher.Metric: [String]] = [
    .cpuLoad: ["/proc/stat"], .memoryLoad: ["/proc/meminfo"], .processMemory: ["/proc/self/statm"],
    .diskReads: ["/proc/self/io"], .diskWrites: ["/proc/self/io"], .networkReceived: ["/proc/self/net/dev"],
    .networkSent: ["/proc/self/net/dev"], .cpuPressure: ["/proc/pressure/cpu"],
    .memoryPressure: ["/proc/pressure/memory"], .ioPressure: ["/proc/pressure/io"],
  ]
  let groups = ControlGroupFiles()
  files[.containerCPULoad] = ["/proc/self/cgroup"] + groups.processor
  files[.memoryLimitLoad] = ["/proc/meminfo", "/proc/self/cgroup"] + groups.memory
  return files
}()

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
