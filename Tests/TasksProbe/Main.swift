// A program that lists its own Swift tasks.
//
// tasks-probe list: prints what CrashKit.tasks() says of tasks that wait, twice; one of them moves in between
// tasks-probe churn COUNT HOW: looks COUNT times while tasks come and go, and prints what no look may see
//   HOW: list (CrashKit.tasks()) or capture (the report of CrashKit.capture)
// tasks-probe stuck SECONDS: some tasks are stuck, others go on; tasks are watched with a limit of one second
// tasks-probe healthy SECONDS: the same watch, and no task is stuck
// tasks-probe leak: drops three continuations without resuming them, two of which one function makes
// tasks-probe contexts: tasks wait in contexts, then one dies in its own
// tasks-probe blocked: a task and a thread wait in the kernel, each in a context, while a report is captured
// tasks-probe many COUNT: opens COUNT contexts and captures a report, leaves them, and dies in one more
// tasks-probe breadcrumbs HOW: two tasks and a thread leave breadcrumbs, then one task ends the process
//   HOW: dies or killed
// tasks-probe thrown HOW: throws errors, and dies of one of them; the ways are in Thrown.swift
// tasks-probe nothing: asks before CrashKit is installed
import CrashKit
import Dispatch
import Foundation
import Synchronization

/// Tasks that wait until they are resumed by their number.
final class Waiting: Sendable {
  private let continuations = Mutex<[Int: UnsafeContinuation<Void, Never>]>([:])

  func wait(_ number: Int) async {
    await withUnsafeContinuation { continuation in continuations.withLock { $0[number] = continuation } }
  }

  /// How many wait.
  var count: Int { continuations.withLock { $0.count } }

  func resume(_ number: Int) { continuations.withLock { $0.removeValue(forKey: number) }?.resume() }

  /// A look at all tasks in which so many wait and none is on its way: a continuation is here a moment before its task
  /// is suspended.
  func look(whenSuspended count: Int) throws -> CrashKit.LiveTasks {
    while continuations.withLock({ $0.count }) < count { usleep(1000) }
    while true {
      let tasks = try CrashKit.tasks()
      if tasks.omitted == 0, tasks.allSatisfy({ $0.state == .suspended }) { return tasks }
      usleep(1000)
    }
  }
}

let waiting = Waiting()

@inline(never) func hold(_ number: Int) async { await waiting.wait(number) }

func show(_ tasks: CrashKit.LiveTasks) {
  for task in tasks {
    let parent = tasks.first { $0.id == task.parent }?.name ?? "none"
    let awaits = task.awaits.map { "\($0)" } ?? "nothing"
    print(
      task.name ?? "unnamed", task.state, task.priority.rawValue, task.isCancelled ? "cancelled" : "wanted", parent,
      awaits, task.resumeAddresses.isEmpty ? "no frames" : "frames", task.unmovedFor == nil ? "new" : "unmoved",
      separator: ", ")
  }
  print("omitted \(tasks.omitted), \(tasks.isComplete ? "complete" : "cut")")
}

func list() throws {
  Task.detached(name: "stays", priority: .background) { await hold(1) }
  Task.detached(name: "moves") {
    await hold(2)
    await waiting.wait(2)
  }
  Task.detached(name: "parent") {
    await withTaskGroup(of: Void.self) { group in
      group.addTask(name: "child") { await hold(3) }
      await group.waitForAll()
    }
  }
  Task.detached(name: "cancelled") { await hold(4) }.cancel()
  show(try waiting.look(whenSuspended: 4))
  waiting.resume(2)
  show(try waiting.look(whenSuspended: 4))
}

@main struct Main {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("nothing", 1):
      do { print(try CrashKit.tasks().count) } catch { print(error) }
    case ("list", 1):
      try CrashKit.install()
      try list()
    case ("stuck", 2), ("healthy", 2):
      guard let seconds = Double(arguments[1]) else { exit(64) }
      try watch(arguments[0] == "stuck" ? Stuck.allCases : [], seconds: seconds)
    case ("contexts", 1):
      try CrashKit.install()
      try crashInContext()
    case ("blocked", 1):
      try CrashKit.install()
      try captureBlocked()
    case ("many", 2):
      guard let count = Int(arguments[1]) else { exit(64) }
      try CrashKit.install()
      try crashAmongContexts(count)
    case ("breadcrumbs", 2):
      try CrashKit.install()
      leaveBreadcrumbs(killsItself: arguments[1] == "killed")
    case ("thrown", 2):
      if !["default", "off", "before", "after"].contains(arguments[1]) {
        try CrashKit.install(.init(keepsThrownErrors: true))
      }
      try throwErrors(arguments[1])
    case ("leak", 1):
      try CrashKit.install()
      leakContinuations()
    case ("churn", 3):
      guard let count = Int(arguments[1]), let look = Look(rawValue: arguments[2]) else { exit(64) }
      try CrashKit.install()
      try Churn().run(count: count, look)
    default: exit(64)
    }
  }
}
