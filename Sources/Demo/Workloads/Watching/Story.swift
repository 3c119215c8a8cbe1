import CrashKit
import Foundation
import Synchronization
import ThreadGuard
import Watcher

/// The load of the processors, made of the previous sample and the present one.
///
/// The mistake: the lock covers the arithmetic, and neither the sampling before it nor the previous sample.
final class HalfLockedGauge: @unchecked Sendable {
  private let lock = ThreadGuard.GuardedLock("watcher.cpu")
  @ThreadGuard.GuardedValue private var previous: ProcessorTicks? = nil

  static let arithmetic = Place(below: 7)
  func load() -> Double? {
    guard let now = try? ProcessorTicks.now() else { return nil }
    guard previous != nil else {
      previous = now
      return nil
    }
    let load = lock.withLock { now.share(since: previous!) }
    previous = now
    return load
  }

  /// Lets go of what can be had again.
  func releaseSample() { previous = nil }
}

/// A program that watches itself with a timer, and goes on in the background with a fetch on another queue.
final class Story: Sendable {
  private let context: WorkloadContext
  private let gauge = HalfLockedGauge()
  private let cpu = CrashKit.registerMetric("cpu.load", unit: "ratio")
  private let memory = CrashKit.registerMetric("memory.load", unit: "ratio")
  private let hasWarned = Atomic(false)
  private let threshold = 0.9

  init(_ context: WorkloadContext) { self.context = context }

  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await onThread("watcher.timer") { self.watch() } }
      group.addTask {
        Watcher.notify(.didEnterBackground)
        await onThread("watcher.fetch") { self.fetchInBackground() }
      }
      group.addTask { await self.warnOfMemory() }
    }
  }

  static let timerCall = Place(below: 4)
  private func watch() {
    var random = context.random(for: 1)
    while !context.isOver {
      if let load = gauge.load() { publish(load) }
      publishMemory()
      if Int.random(in: 0..<50, using: &random) == 0 { usleep(100) }
    }
  }

  static let backgroundCall = Place(below: 5)
  private func fetchInBackground() {
    CrashKit.record("background fetch began", category: "lifecycle")
    var random = context.random(for: 2)
    while !context.isOver {
      if let load = gauge.load() { publish(load) }
      if Int.random(in: 0..<50, using: &random) == 0 { usleep(100) }
    }
  }

  /// After a while, in the last third of the time at the latest, the system has no memory to spare, and says so again
  /// and again.
  private func warnOfMemory() async {
    let calm = min(.seconds(1.5), ContinuousClock.now.duration(to: context.deadline) * 2 / 3)
    try? await Task.sleep(for: calm)
    CrashKit.record("memory warning: the program releases its samples", category: "lifecycle", level: .warning)
    await onThread("watcher.memory") { [self] in
      var random = context.random(for: 3)
      while !context.isOver {
        gauge.releaseSample()
        usleep(UInt32.random(in: 1...100, using: &random))
      }
    }
  }

  private func publish(_ load: Double) {
    // A NaN fails the only test, and counts as critical.
    let isNominal = load < threshold
    cpu.update(load, state: isNominal ? .nominal : .critical, threshold: threshold)
    if !isNominal, !hasWarned.exchange(true, ordering: .relaxed) {
      CrashKit.record("cpu.load is critical: \(load)", category: "watcher", level: .warning)
    }
  }

  private func publishMemory() {
    guard case .level(let load) = Watcher.SystemMemoryLoad().sample().content else { return }
    memory.update(load.value, state: load.value < threshold ? .nominal : .critical, threshold: threshold)
  }
}
