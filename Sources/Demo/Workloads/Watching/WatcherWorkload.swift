import Foundation
import Watcher

/// A program in which timers and background fetches sample CPU, memory and battery. The correct variant uses Watcher's
/// managers. Each faulty variant has its own provider with one mistake that can give a load the value NaN.
public struct WatcherWorkload: Workload {
  public static let name = "watcher"
  public static let summary = "Timers and background fetches sample CPU, memory and battery; mistakes make a NaN"

  /// Which instruction traps is the processor's choice.
  static let deaths = [SIGILL, SIGTRAP]

  public static let variants = [
    Variant(
      "correct",
      "Watcher's managers handle counters that decrease, two consumers, a missing battery, and moves to the background"),
    Variant(
      "half-locked", "The lock covers only the arithmetic; a timer and a background fetch share the previous sample",
      planted: [
        Plant("dataRace", at: [Story.timerCall, Story.backgroundCall]),
        Plant("nan", at: [ProcessorTicks.division, HalfLockedGauge.arithmetic]),
        Plant("crashReport", at: [HalfLockedGauge.arithmetic]),
      ],
      ending: .diesBy(signals: deaths)),
    Variant(
      "same-tick", "A manual refresh reads the load twice within one tick of the kernel",
      planted: [Plant("nan", at: [ProcessorTicks.division, LoadGauge.call])]),
    Variant(
      "shared-previous", "The lock covers everything, but two consumers share one previous sample",
      planted: [Plant("nan", at: [ProcessorTicks.division, LockedGauge.call])]),
    Variant(
      "counter-went-back", "Counters are subtracted as if they could only grow, but iowait can shrink",
      planted: [Plant("crashReport", at: [WaitGauge.subtraction])], ending: .diesBy(signals: deaths)),
    Variant(
      "clamped", "The program clamps a NaN to 0…1 and reports it as a load of 100 %",
      planted: [Plant("nan", at: [ProcessorTicks.division, ClampedGauge.call])]),
    Variant(
      "nan-consumed", "A sensor returns the text nan, and a consumer converts the number to Int",
      planted: [Plant("nan", at: [SensorPanel.entrance]), Plant("crashReport", at: [SensorPanel.conversion])],
      ending: .diesBy(signals: deaths)),
    Variant(
      "empty-set", "The mean level of all batteries is computed, but there is no battery",
      planted: [Plant("nan", at: [BatteryPanel.mean])]),
    Variant(
      "background-reset", "When the program enters the background, it resets the previous sample without the lock",
      planted: [Plant("dataRace", at: [ResettableGauge.reset, ResettableGauge.exchange])]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    Watcher.notify(.didFinishLaunching)
    switch variant.name {
    case "half-locked": await Story(context).run()
    case "same-tick": try await RefreshByHand(context).run()
    case "shared-previous": try await TwoConsumers(context).run()
    case "counter-went-back": WaitingForDisks(context).run()
    case "clamped": try LoadAlarm(context).run()
    case "nan-consumed": SensorPanel().show(["41.5", "42.0", "nan"])
    case "empty-set": BatteryPanel().run()
    case "background-reset": try await BackgroundSwitches(context).run()
    default: try await SoundWatching(context).run()
    }
  }
}
