import CrashKit
import Dispatch
import Foundation
import Synchronization

/// A task that is not running.
struct Waiter {
  var name: String?
  var waitsForContinuation: Bool
  /// Everything that the look says of it.
  var all: String
}

/// A way to look at all tasks.
enum Look: String {
  case list, capture

  /// The tasks that are not running, by their names, with whether each waits for a continuation; and whether all memory
  /// was searched.
  func waitingTasks() throws -> (tasks: [Waiter], isComplete: Bool) {
    switch self {
    case .list:
      let tasks = try CrashKit.tasks()
      let waiting = tasks.filter { $0.state != .running }
      return (
        waiting.map { Waiter(name: $0.name, waitsForContinuation: $0.awaits == .continuation, all: "\($0)") },
        tasks.isComplete
      )
    case .capture:
      guard let path = try CrashKit.capture("churn") else { exit(74) }
      let data = try Data(contentsOf: URL(filePath: path))
      try FileManager.default.removeItem(atPath: path)
      let report = try JSONDecoder().decode(Report.self, from: data)
      let waiting = report.tasks.filter { $0.state != "running" }
      let tasks = waiting.map {
        Waiter(name: $0.name, waitsForContinuation: $0.awaits?.kind == "continuation", all: "\($0)")
      }
      return (tasks, report.capture.tasks.isCut != true)
    }
  }

  private struct Report: Decodable {
    struct Task: Decodable {
      struct Awaited: Decodable { var kind: String }
      var name: String?
      var state: String
      var awaits: Awaited?
    }
    struct Capture: Decodable {
      struct Search: Decodable { var isCut: Bool? }
      var tasks: Search
    }
    var tasks: [Task]
    var capture: Capture
  }
}

/// Tasks that come and go while others last. Each has a name, and each that comes and goes is in `alive` from before it
/// is made until its last statement: a task that waits and is not there is one that does not exist.
final class Churn: Sendable {
  private struct State {
    var alive: Set<Int> = []
    var made = 0
    var isEnding = false
  }

  private static let lasting = 50
  private static let mostAlive = 500
  private let state = Mutex(State())

  func run(count: Int, _ look: Look) throws {
    for number in 0..<Self.lasting { Task.detached(name: "lasting \(number)") { await hold(number) } }
    _ = try waiting.look(whenSuspended: Self.lasting)
    let makers = DispatchGroup()
    for _ in 0..<2 { DispatchQueue.global().async(group: makers) { self.makeTasks() } }
    var unknown = 0
    var missing = 0
    var cut = 0
    var seen = 0
    for _ in 0..<count {
      let before = state.withLock { ($0.alive, $0.made) }
      let (tasks, isComplete) = try look.waitingTasks()
      if !isComplete { cut += 1 }
      let lasting = Set(tasks.filter(\.waitsForContinuation).compactMap(\.name).filter { $0.hasPrefix("lasting ") })
      if isComplete { missing += Self.lasting - lasting.count }
      for task in tasks where task.name?.hasPrefix("lasting ") != true {
        seen += 1
        let number = task.name.flatMap { Int($0.split(separator: " ").last ?? "") }
        if let number, before.0.contains(number) || number >= before.1 { continue }
        print("unknown \(task.all)")
        unknown += 1
      }
      usleep(UInt32.random(in: 0...2000))
    }
    let made = state.withLock { state in
      state.isEnding = true
      return state.made
    }
    makers.wait()
    print("looks \(count) made \(made) seen \(seen) unknown \(unknown) missing \(missing) cut \(cut)")
    exit(unknown == 0 && missing == 0 ? 0 : 1)
  }

  private func makeTasks() {
    while true {
      let number: Int? = state.withLock { state in
        guard state.alive.count < Self.mostAlive else { return nil }
        state.made += 1
        state.alive.insert(state.made - 1)
        return state.made - 1
      }
      if let number {
        make(number)
      } else if state.withLock({ $0.isEnding }) {
        return
      } else {
        usleep(100)
      }
    }
  }

  private func make(_ number: Int) {
    Task.detached(name: "churn \(number)") {
      switch number % 4 {
      case 0: await Task.yield()
      case 1: await withUnsafeContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
      case 2:
        await withTaskGroup(of: Void.self) { group in
          group.addTask(name: "child of churn \(number)") { await Task.yield() }
        }
      default: try? await Task.sleep(for: .microseconds(200))
      }
      self.state.withLock { _ = $0.alive.remove(number) }
    }
  }
}
