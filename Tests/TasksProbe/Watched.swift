// Tasks that are stuck, beside tasks that are not.

import CrashKit
import Foundation

/// What is stuck.
enum Stuck: CaseIterable {
  case continuation, stream, group, cancelled

  func start() {
    switch self {
    case .continuation: Task.detached(name: "stuck continuation") { await hold(1) }
    case .stream: Task.detached(name: "stuck stream") { await neverFed() }
    case .group: Task.detached(name: "starts") { await waitForOneAnother() }
    case .cancelled: Task.detached(name: "waits") { await abandonChild() }
    }
  }
}

private let (neverEnding, neverFeeding) = AsyncStream.makeStream(of: Int.self)

@inline(never) private func neverFed() async {
  for await _ in neverEnding {}
}

/// A task group whose child waits for the task that has the group.
@inline(never) private func waitForOneAnother() async {
  let (handles, give) = AsyncStream.makeStream(of: Task<Void, Never>.self)
  let parent = Task.detached(name: "stuck parent") {
    await withTaskGroup(of: Void.self) { group in
      group.addTask(name: "stuck child") { for await parent in handles { await parent.value } }
      await group.waitForAll()
    }
  }
  give.yield(parent)
  give.finish()
}

/// A child that does not look whether it was cancelled.
@inline(never) private func abandonChild() async {
  await withTaskGroup(of: Void.self) { group in
    group.addTask(name: "stuck cancelled") { await hold(2) }
    try? await Task.sleep(for: .milliseconds(100))
    group.cancelAll()
  }
}

actor Tally {
  private var count = 0
  func add(_ number: Int) { count &+= number }
}

/// Tasks that come back to the same places again and again.
private func startHealthyTasks() {
  let tally = Tally()
  for number in 0..<20 {
    Task.detached(name: "sleeps") {
      while true { try await Task.sleep(for: .milliseconds(100 + 50 * number)) }
    }
    Task.detached(name: "sleeps long") {
      while true { try await Task.sleep(nanoseconds: 30_000_000_000) }
    }
    Task.detached(name: "calls an actor") {
      while true {
        await tally.add(number)
        try await ContinuousClock().sleep(until: .now + .milliseconds(30))
      }
    }
    let (stream, feed) = AsyncStream.makeStream(of: Int.self)
    Task.detached(name: "feeds") {
      var sent = 0
      while true {
        feed.yield(sent)
        sent += 1
        try await Task.sleep(for: .milliseconds(70), clock: .suspending)
      }
    }
    Task.detached(name: "reads") { for await number in stream { await tally.add(number) } }
    Task.detached(name: "has a group") {
      await withDiscardingTaskGroup { group in
        for _ in 0..<3 {
          group.addTask(name: "child") { while true { try? await Task.sleep(for: .milliseconds(250)) } }
        }
      }
    }
  }
}

func watch(_ stuck: [Stuck], seconds: Double) throws {
  try CrashKit.install()
  startHealthyTasks()
  for what in stuck { what.start() }
  guard CrashKit.HangDetector.watchTasks(notMovedFor: .seconds(1)) != nil else { exit(1) }
  usleep(UInt32(seconds * 1_000_000))
}
