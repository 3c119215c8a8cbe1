import CPeers
import CrashKit
import Foundation

/// What one breadcrumb costs, beside what else could be done. Prints a table of medians over many rounds; the rows take turns
/// within each round, so that a disturbance of the machine falls on all of them.
@main enum Breadcrumbs {
  struct Row {
    var name: String
    var body: @convention(c) (Int) -> Void
  }

  static let rows = [
    Row(name: "clock_gettime alone", body: { peer_clock($0) }),
    Row(name: "CrashKit, from C", body: { peer_crashkit($0) }),
    Row(name: "CrashKit, from Swift", body: { recordLiterals($0) }),
    Row(name: "CrashKit, from Swift, in a task", body: { count in inTask { recordLiterals(count) } }),
    Row(name: "CrashKit, from Swift, text made at run time", body: { recordMadeText($0) }),
    Row(name: "CrashKit, from Swift, two attributes", body: { recordAttributes($0) }),
    Row(name: "ring behind a pthread mutex", body: { peer_mutex_ring($0) }),
    Row(name: "snprintf into a ring of the thread's own", body: { peer_snprintf_ring($0) }),
    Row(name: "swift-log, handler that drops everything", body: { LogLines.plain(LogLines.dropped, $0) }),
    Row(name: "CrashKitLogging, no metadata", body: { LogLines.plain(LogLines.kept, $0) }),
    Row(
      name: "swift-log, two pairs of metadata, handler that drops everything",
      body: { LogLines.pairs(LogLines.dropped, $0) }),
    Row(
      name: "swift-log, two pairs of metadata, handler that takes each line",
      body: { LogLines.pairs(LogLines.taken, $0) }),
    Row(name: "CrashKitLogging, two pairs of metadata", body: { LogLines.pairs(LogLines.kept, $0) }),
    Row(
      name: "swift-log, a provider's request id, handler that takes each line",
      body: { LogLines.plain(LogLines.takenWithProvider, $0) }),
    Row(name: "CrashKitLogging, a provider's request id", body: { LogLines.plain(LogLines.provided, $0) }),
    Row(name: "CrashKitLogging, in a span", body: { LogLines.inSpan(LogLines.kept, $0) }),
  ]

  static func recordLiterals(_ count: Int) {
    for _ in 0..<count { CrashKit.record("DidEnterBackground", category: "lifecycle") }
  }

  /// Runs what it is given at once, on the calling thread.
  final class OwnThread: TaskExecutor {
    static let shared = OwnThread()
    func enqueue(_ job: consuming ExecutorJob) {
      UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  static func inTask(_ body: @escaping @Sendable () -> Void) {
    Task.detached(executorPreference: OwnThread.shared) { body() }
  }

  static func recordMadeText(_ count: Int) {
    let message = "DidEnterBackground \(ProcessInfo.processInfo.processIdentifier)"
    for _ in 0..<count { CrashKit.record(message, category: "lifecycle") }
  }

  static func recordAttributes(_ count: Int) {
    for _ in 0..<count {
      CrashKit.record("DidEnterBackground", category: "lifecycle", attributes: ["scene": "main", "reason": "user"])
    }
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  static func main() throws {
    LogLines.bootstrapTracer()
    // Tasks have numbers from here on.
    let folder = FileManager.default.temporaryDirectory.appending(path: "breadcrumbs-\(UUID().uuidString)")
    try CrashKit.install(.init(directory: folder.path))
    defer { try? FileManager.default.removeItem(at: folder) }
    let rounds = 501
    // Short against a scheduler's time slice, so that most rounds go undisturbed on a busy machine.
    let calls = 10_000
    var times = [[[Double]]](repeating: [[], []], count: rows.count)
    for _ in 0..<rounds {
      for (index, row) in rows.enumerated() {
        for threads in 1...2 { times[index][threads - 1].append(peer_measure(row.body, Int32(threads), calls)) }
      }
    }
    let base = times[1].map(median)
    print("| ns a call, median of \(rounds) rounds | one thread | ratio | two threads | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for (index, row) in rows.enumerated() {
      let cells = times[index].map(median).enumerated().map { threads, time in
        String(format: "%.1f | %.2f", time, time / base[threads])
      }
      print("| \(row.name) | \(cells.joined(separator: " | ")) |")
    }
  }
}
