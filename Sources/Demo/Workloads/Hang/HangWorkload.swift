import CrashKit
import Foundation

/// A program whose main queue must answer at once. A hang detector watches the main queue.
public struct HangWorkload: Workload {
  public static let name = "hang"
  public static let summary = "A program whose main queue must answer at once, watched by the hang detector"

  public static let variants = [
    Variant(
      "correct", "The long work runs on another queue, which sends a message to the main queue when the work is done"),
    Variant(
      "waits-for-work", "The main queue waits for work on another queue",
      planted: [Plant("hang", at: [Screen.wait])]),
    Variant(
      "long-work", "The main queue does long work itself",
      planted: [Plant("hang", at: [Screen.work])]),
    Variant(
      "never-returns", "The main queue waits for an answer that never comes",
      planted: [Plant("hang", at: [Screen.endlessWait])], ending: .hangs),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    // Generous: machines that run this are busy, and a wait that is too long lasts a second.
    let detector = CrashKit.HangDetector.start(threshold: .milliseconds(300))
    defer { detector?.stop() }
    // The detector has to have seen the queue run once.
    await onMain {}
    let screen = Screen(context)
    switch variant.name {
    case "waits-for-work": await onMain { screen.showWaiting() }
    case "long-work": await onMain { screen.showComputing() }
    case "never-returns": await onMain { screen.showAnswer() }
    default: await screen.showLater()
    }
    await onMain { CrashKit.record("shown", category: "ui") }
  }

  private func onMain(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      DispatchQueue.main.async {
        work()
        done.resume()
      }
    }
  }
}

/// What is shown, for the main queue only.
private final class Screen: @unchecked Sendable {
  private static let tooLong = 1.2

  private let context: WorkloadContext
  private let loading = DispatchQueue(label: "screen.loading")

  init(_ context: WorkloadContext) { self.context = context }

  static let wait = Place(below: 9)
  func showWaiting() {
    CrashKit.record("opens a list", category: "ui")
    let loaded = DispatchSemaphore(value: 0)
    loading.async {
      // A server that is slow to answer.
      Thread.sleep(forTimeInterval: Self.tooLong)
      loaded.signal()
    }
    loaded.wait()
  }

  static let work = Place(below: 5)
  func showComputing() {
    CrashKit.record("opens a report", category: "ui")
    let end = ContinuousClock.now + .seconds(Self.tooLong)
    var lines = 0
    while ContinuousClock.now < end { lines += format(lines) }
    CrashKit.record("formatted \(lines) lines", category: "ui")
  }

  private func format(_ line: Int) -> Int { "line \(line)".count % 2 == 0 ? 1 : 2 }

  static let endlessWait = Place(below: 3)
  func showAnswer() {
    CrashKit.record("asks the server", category: "ui")
    DispatchSemaphore(value: 0).wait()
  }

  /// Slices of work on another queue, and short visits to the main one.
  func showLater() async {
    var random = context.random(for: 0)
    while !context.isOver {
      let lines = Int.random(in: 1...200, using: &random)
      await withCheckedContinuation { (shown: CheckedContinuation<Void, Never>) in
        loading.async {
          let count = (0..<lines).reduce(0) { $0 + self.format($1) }
          DispatchQueue.main.async {
            _ = "\(count) lines"
            shown.resume()
          }
        }
      }
    }
  }
}
