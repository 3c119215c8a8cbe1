import CrashKit
import Foundation
import ThreadGuard
import Watcher

/// The same demands as on the faulty designs, met by Watcher's managers: counters that go back, a battery that is taken
/// out, several consumers, fetches by hand one after the other, and a program that goes to the background and comes back.
struct SoundWatching {
  private let context: WorkloadContext
  private let root: String

  init(_ context: WorkloadContext) {
    self.context = context
    root = context.folder + "/root"
  }

  func run() async throws {
    let files = KernelFiles(root)
    var random = context.random(for: 0)
    try files.write(&random)
    let managers = [
      manager(Watcher.SystemCPULoad()), manager(Watcher.SystemCPULoad(root: .init(root)), "scripted"),
      manager(Watcher.SystemMemoryLoad()), manager(Watcher.BatteryLevel(root: .init(root))),
    ]
    let events = Watcher.EventProvider()
    for manager in managers {
      events.register(manager, for: manager.metric)
      manager.enableBackgroundFetching(every: 0.05)
      manager.start()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for manager in managers {
        for _ in 0..<max(1, context.threads / 2) { group.addTask { try await follow(manager) } }
        group.addTask { await refreshByHand(manager) }
      }
      try await liveOn(files)
      // Where counters stand still there is no further reading to wake a listener.
      group.cancelAll()
      try await group.waitForAll()
    }
    for manager in managers { manager.stop() }
  }

  private func manager(_ provider: some Watcher.MetricProvider, _ label: String = "machine") -> Watcher.MetricManager {
    Watcher.MetricManager(
      metricProvider: provider, threshold: 0.9, refreshFrequency: 0.02,
      queue: DispatchQueue(label: "watcher.\(provider.metric).\(label)"))
  }

  /// What a chart does: whole numbers, the largest of all, JSON.
  private func follow(_ manager: Watcher.MetricManager) async throws {
    var largest = 0.0
    for await reading in manager.readings {
      if let value = reading.value {
        ThreadGuard.expectFinite(value, manager.metric.name)
        largest = [largest, value].max() ?? value
        _ = try JSONEncoder().encode(["percent": Int(value * 100)])
      }
    }
  }

  private func refreshByHand(_ manager: Watcher.MetricManager) async {
    while !context.isOver {
      for _ in 1...5 { _ = await manager.fetch() }
      try? await Task.sleep(for: .milliseconds(15))
    }
  }

  /// The machine's counters go on, and the program comes and goes.
  private func liveOn(_ files: KernelFiles) async throws {
    var random = context.random(for: 1)
    while !context.isOver {
      try files.write(&random)
      if Int.random(in: 0..<10, using: &random) == 0 { Watcher.notify(.didEnterBackground) }
      try await Task.sleep(for: .milliseconds(Int.random(in: 5...25, using: &random)))
      Watcher.notify(.willEnterForeground)
    }
  }
}

/// Files as the kernel has them, of a machine whose iowait goes back and whose battery is taken out now and then.
private final class KernelFiles: @unchecked Sendable {
  private let root: String
  private var ticks: [UInt64] = [1000, 0, 1000, 10000, 500, 0, 0, 0]

  init(_ root: String) { self.root = root }

  func write(_ random: inout SeededGenerator) throws {
    for index in [0, 2, 3] { ticks[index] += UInt64.random(in: 0...2, using: &random) }
    ticks[4] = ticks[4] &+ 1 &- UInt64.random(in: 0...2, using: &random)
    try write("cpu  " + ticks.map { "\($0)" }.joined(separator: " ") + "\n", to: "proc/stat")
    let battery = "sys/class/power_supply/BAT0"
    if Bool.random(using: &random) {
      try write("Battery\n", to: battery + "/type")
      try write("\(Int.random(in: 1...100, using: &random))\n", to: battery + "/capacity")
    } else {
      try? FileManager.default.removeItem(atPath: "\(root)/\(battery)")
    }
  }

  private func write(_ text: String, to name: String) throws {
    let path = "\(root)/\(name)"
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
