// Tasks that call a driver that blocks, until no thread is left that could run another task.

import CrashKit
import Foundation

/// A database whose driver has no asynchronous calls.
struct Database: Sendable {
  func row(_ number: Int) -> String {
    Thread.sleep(forTimeInterval: 2)
    return "row \(number)"
  }
}

func report(on rows: Range<Int>, from database: Database) async -> [String] {
  await withTaskGroup(of: String.self) { group in
    for number in rows {
      // The mistake: each call blocks a thread of the pool, which has as many as there are processors.
      group.addTask(priority: .medium) { database.row(number) }
    }
    return await group.reduce(into: []) { $0.append($1) }
  }
}

@main
struct Main {
  static func main() async throws {
    try CrashKit.install(.init(application: .init(name: "starved-pool", version: "1.0")))
    CrashKit.HangDetector.start(threshold: .milliseconds(500), poolsOf: [.medium])
    // The detector has to have seen a task run.
    try await Task.sleep(for: .milliseconds(500))
    let rows = await report(on: 0..<ProcessInfo.processInfo.activeProcessorCount, from: Database())
    print(rows)
    // The pool runs again, and the report is written anew, with the length of the hang.
    try await Task.sleep(for: .milliseconds(500))
  }
}
