// Breadcrumbs of tasks that move between threads.

import CrashKit
import Foundation

@MainActor private func leaveOnMainThread(_ message: String) { CrashKit.record(message, category: "main") }

private func leave(_ name: String) async {
  for _ in 0..<10 {
    CrashKit.record(name, category: "pool")
    await leaveOnMainThread(name)
  }
}

/// Two tasks and the main thread leave breadcrumbs; then one of the tasks ends the process.
func leaveBreadcrumbs(killsItself: Bool) -> Never {
  CrashKit.record("thread", category: "main")
  let other = Task.detached(name: "other") { await leave("other") }
  Task.detached(name: "dies") {
    await leave("dies")
    await other.value
    if killsItself { kill(getpid(), SIGKILL) }
    fatalError("the task's fault")
  }
  dispatchMain()
}
