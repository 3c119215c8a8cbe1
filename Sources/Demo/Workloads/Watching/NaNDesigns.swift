import CrashKit
import Foundation
import Synchronization
import ThreadGuard
import Watcher

// Designs that make a NaN of a load, each as it is found in programs.

/// For one consumer, who is expected to wait between two calls.
final class LoadGauge {
  private var previous = ProcessorTicks(busy: 0, all: 0)

  static let call = Place(below: 4)
  func load() throws -> Double {
    let now = try ProcessorTicks.now()
    defer { previous = now }
    return now.share(since: previous)
  }
}

/// A list that is refreshed by a timer, and by hand whenever the user pulls it down.
struct RefreshByHand {
  let context: WorkloadContext
  init(_ context: WorkloadContext) { self.context = context }

  func run() async throws {
    let gauge = LoadGauge()
    let metric = CrashKit.registerMetric("cpu.load", unit: "ratio")
    var random = context.random(for: 0)
    for _ in 1...10 {
      metric.update(try gauge.load())
      try await Task.sleep(for: .milliseconds(Int.random(in: 12...30, using: &random)))
      let pulls = Int.random(in: 2...4, using: &random)
      CrashKit.record("the user refreshed the list \(pulls) times", category: "ui")
      for _ in 0..<pulls { metric.update(try gauge.load()) }
    }
  }
}

/// For any number of threads: the lock is held from the first line to the last. It is not the cure.
final class LockedGauge: Sendable {
  private let previous = Mutex(ProcessorTicks(busy: 0, all: 0))

  static let call = Place(below: 5)
  func load() throws -> Double {
    try previous.withLock { previous in
      let now = try ProcessorTicks.now()
      defer { previous = now }
      return now.share(since: previous)
    }
  }
}

/// A status bar and a chart, both of which follow the load at the same pace.
struct TwoConsumers {
  let context: WorkloadContext
  init(_ context: WorkloadContext) { self.context = context }

  func run() async throws {
    let gauge = LockedGauge()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for consumer in ["status bar", "chart"] {
        group.addTask {
          let metric = CrashKit.registerMetric("\(consumer).load", unit: "ratio")
          for _ in 1...30 {
            metric.update(try gauge.load())
            try await Task.sleep(for: .milliseconds(12))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// The share of the time that went by waiting for disks.
final class WaitGauge {
  private var previous: (waiting: UInt64, all: UInt64)?

  static let subtraction = Place(below: 4)
  func share(waiting: UInt64, all: UInt64) -> Double {
    defer { previous = (waiting, all) }
    guard let before = previous, all > before.all else { return 0 }
    let waited = waiting - before.waiting
    return Double(waited) / Double(all - before.all)
  }
}

/// Reads iowait, which "will decrease in certain conditions" (proc(5)).
struct WaitingForDisks {
  let context: WorkloadContext
  init(_ context: WorkloadContext) { self.context = context }

  func run() {
    let gauge = WaitGauge()
    let metric = CrashKit.registerMetric("disk.wait", unit: "ratio")
    var random = context.random(for: 0)
    var (waiting, all) = (UInt64(4000), UInt64(100_000))
    for _ in 1...1000 {
      all += 100
      let step = UInt64.random(in: 0...9, using: &random)
      // What a processor has counted is given up as it goes to sleep.
      waiting = step == 0 ? waiting - 3 : waiting + step
      metric.update(gauge.share(waiting: waiting, all: all))
    }
  }
}

/// Makes sure that a load lies within 0…1, whatever it was.
final class ClampedGauge {
  private var previous = ProcessorTicks(busy: 0, all: 0)

  static let call = Place(below: 4)
  func load() throws -> Double {
    let now = try ProcessorTicks.now()
    defer { previous = now }
    return max(0, min(1, now.share(since: previous)))
  }
}

/// Raises an alarm when all processors are busy.
struct LoadAlarm {
  let context: WorkloadContext
  init(_ context: WorkloadContext) { self.context = context }

  func run() throws {
    let gauge = ClampedGauge()
    let metric = CrashKit.registerMetric("cpu.load", unit: "ratio")
    for _ in 1...20 {
      let load = try gauge.load()
      metric.update(load, state: load < 0.99 ? .nominal : .critical, threshold: 0.99)
      if load >= 0.99 { CrashKit.record("alarm: load of \(load * 100) %", category: "watcher", level: .warning) }
    }
  }
}

/// Temperatures as a sensor's driver writes them.
struct SensorPanel {
  static let entrance = Place(below: 3)
  private func temperature(_ text: String) -> Double {
    let value = Double(text) ?? 0
    ThreadGuard.expectFinite(value, "the sensor's temperature")
    return value
  }

  static let conversion = Place(below: 4)
  func show(_ texts: [String]) {
    for text in texts {
      CrashKit.record("sensor says \(text)", category: "watcher")
      print("\(Int(temperature(text).rounded())) °C")
    }
  }
}

/// How full the batteries are, all together.
struct BatteryPanel {
  func run() {
    let metric = CrashKit.registerMetric("battery.level", unit: "ratio")
    metric.update(level(of: [0.4, 0.8]))
    CrashKit.record("batteries were taken out", category: "watcher")
    metric.update(level(of: []))
  }

  static let mean = Place(below: 2)
  private func level(of batteries: [Double]) -> Double {
    batteries.reduce(0, +) / Double(batteries.count)
  }
}

/// Well locked, except for the reset.
final class ResettableGauge: @unchecked Sendable {
  private let lock = ThreadGuard.GuardedLock("watcher.cpu")
  @ThreadGuard.GuardedValue private var previous: ProcessorTicks? = nil

  static let exchange = Place(below: 3)
  func load(_ now: ProcessorTicks) -> Double? {
    lock.withLock {
      let before = swap(&previous, now)
      guard let before, now.all > before.all else { return nil }
      return Double(now.busy &- before.busy) / Double(now.all - before.all)
    }
  }

  private func swap(_ old: inout ProcessorTicks?, _ new: ProcessorTicks) -> ProcessorTicks? {
    defer { old = new }
    return old
  }

  static let reset = Place(below: 2)
  func didEnterBackground() {
    previous = nil
  }
}

/// A user who goes from program to program while the load is sampled.
struct BackgroundSwitches {
  let context: WorkloadContext
  init(_ context: WorkloadContext) { self.context = context }

  func run() async throws {
    let gauge = ResettableGauge()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await onThread("watcher.timer") {
          var ticks = ProcessorTicks(busy: 0, all: 0)
          while !context.isOver {
            ticks = ProcessorTicks(busy: ticks.busy + 1, all: ticks.all + 2)
            _ = gauge.load(ticks)
          }
        }
      }
      group.addTask {
        await onThread("app.lifecycle") {
          CrashKit.record("the program enters the background and returns, many times", category: "lifecycle")
          while !context.isOver { gauge.didEnterBackground() }
        }
      }
    }
  }
}
