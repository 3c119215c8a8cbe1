import CrashKit
import Foundation
import Synchronization

/// Clients whose requests wait for their replies in continuations. A detector watches all tasks.
public struct StuckContinuationWorkload: Workload {
  public static let name = "stuck-continuation"
  public static let summary =
    "Requests that wait for replies in continuations; a detector watches all tasks"

  public static let variants = [
    Variant("correct", "Every reply resumes its request, and so does a refusal"),
    Variant(
      "refusal-ignored", "A refusal leaves its request waiting",
      planted: [Plant("stuckTask", at: [Exchange.wait])], ending: .hangs),
    Variant(
      "refusal-drops-request", "A refusal removes its request from the list, and resumes no task",
      planted: [Plant("leakedContinuation", at: [Exchange.wait])], ending: .hangs),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    // Generous: machines that run this are busy.
    let watch = CrashKit.HangDetector.watchTasks(notMovedFor: .seconds(1))
    defer { watch?.stop() }
    let exchange = Exchange { exchange, number in
      switch variant.name {
      case "refusal-ignored": break
      case "refusal-drops-request": exchange.drop(number)
      default: exchange.resume(number, with: nil)
      }
    }
    try await context.inTasks(atLeast: 2) { client, random in
      let pause = Int.random(in: 1...5, using: &random)
      if await exchange.price(refuses: Int.random(in: 1...10, using: &random) == 1) == nil {
        CrashKit.record("refused", category: "exchange", attributes: ["client": "\(client)"])
      }
      try await Task.sleep(for: .milliseconds(pause))
    }
  }
}

/// The other side, which answers in its own time.
private final class Exchange: Sendable {
  private struct Requests {
    var last = 0
    var waiting: [Int: CheckedContinuation<Int?, Never>] = [:]
  }

  private let replies = DispatchQueue(label: "replies")
  private let requests = Mutex(Requests())
  private let onRefusal: @Sendable (Exchange, Int) -> Void

  init(onRefusal: @escaping @Sendable (Exchange, Int) -> Void) { self.onRefusal = onRefusal }

  static let wait = Place(below: 2)
  func price(refuses: Bool) async -> Int? {
    await withCheckedContinuation { request in
      let number = requests.withLock { requests in
        requests.last += 1
        requests.waiting[requests.last] = request
        return requests.last
      }
      replies.async { if refuses { self.onRefusal(self, number) } else { self.resume(number, with: number) } }
    }
  }

  func resume(_ number: Int, with price: Int?) {
    requests.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: price)
  }

  /// The last to let go of the continuation is this thread or, if the task is late, the task.
  func drop(_ number: Int) {
    requests.withLock { $0.waiting[number] = nil }
  }
}
