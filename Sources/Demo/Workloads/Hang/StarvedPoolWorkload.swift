import CrashKit
import Foundation

/// A server whose tasks read from a database with a blocking driver. A hang detector watches the pool.
public struct StarvedPoolWorkload: Workload {
  public static let name = "starved-pool"
  public static let summary = "Tasks call a driver that blocks; a hang detector watches the thread pool"

  public static let variants = [
    Variant("correct", "The driver blocks only its own threads, and the tasks are suspended meanwhile"),
    Variant(
      "blocking-reads", "Each task calls the driver itself, until all threads of the pool are blocked",
      planted: [Plant("starvedPool", at: [SlowDatabase.wait])]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    // Generous: machines that run this are busy.
    let detector = CrashKit.HangDetector.start(threshold: .milliseconds(500), poolsOf: [.medium])
    defer { detector?.stop() }
    // The detector has to have seen a task run.
    try await Task.sleep(for: .milliseconds(200))
    let database = SlowDatabase()
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    await withTaskGroup(of: Void.self) { group in
      for row in 0..<count {
        group.addTask(priority: .medium) {
          if variant.isCorrect { await database.readElsewhere(row) } else { database.read(row) }
        }
      }
    }
    CrashKit.record("read \(count) rows", category: "database")
    // The heartbeat that waited runs, and the report is written anew.
    try await Task.sleep(for: .milliseconds(200))
  }
}
