import CrashKit
import Foundation

/// A server whose tasks read from a database by a driver that blocks, under the hang detector of the pool.
public struct PoolWorkload: Workload {
  public static let name = "pool"
  public static let summary = "Tasks that need a driver that blocks, under the eyes of the hang detector of the pool"

  public static let variants = [
    Variant("correct", "The driver blocks threads of its own, and the tasks are suspended meanwhile"),
    Variant(
      "blocking-reads", "Each task calls the driver itself, until all threads of the pool are blocked",
      planted: [Plant("starvedPool", at: [Reader.wait])]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    // Generous: machines that run this are busy.
    let detector = CrashKit.HangDetector.start(threshold: .milliseconds(500), poolsOf: [.medium])
    defer { detector?.stop() }
    // The detector has to have seen a task run.
    try await Task.sleep(for: .milliseconds(200))
    let reader = Reader()
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    await withTaskGroup(of: Void.self) { group in
      for row in 0..<count {
        group.addTask(priority: .medium) {
          if variant.isCorrect { await reader.readElsewhere(row) } else { reader.read(row) }
        }
      }
    }
    CrashKit.record("read \(count) rows", category: "database")
    // The heartbeat that waited runs, and the report is written anew.
    try await Task.sleep(for: .milliseconds(200))
  }
}

/// A driver without asynchronous calls.
private struct Reader: Sendable {
  private static let slow = 1.5

  private let threads = DispatchQueue(label: "database", attributes: .concurrent)

  static let wait = Place(below: 3)
  func read(_ row: Int) {
    CrashKit.record("reads a row", category: "database", attributes: ["row": "\(row)"])
    Thread.sleep(forTimeInterval: Self.slow)
    CrashKit.record("has a row", category: "database", attributes: ["row": "\(row)"])
  }

  func readElsewhere(_ row: Int) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      threads.async {
        read(row)
        done.resume()
      }
    }
  }
}
