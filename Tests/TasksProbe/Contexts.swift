// Tasks inside contexts.

import CrashKit
import Foundation
import Synchronization

private actor Counter {
  private var count = 0
  func add() { count += 1 }
}

/// Tasks wait in contexts and outside of them; then a task dies in one, after it has moved between threads.
func crashInContext() throws {
  Task.detached {
    await CrashKit.withContext("outer", ["request.id": "outer 1", "password": "geheim"]) {
      Task(name: "inherits") { await hold(1) }
      Task.detached(name: "detached, token=geheim") { await hold(2) }
      await withTaskGroup(of: Void.self) { group in
        group.addTask(name: "child") { await hold(3) }
        group.addTask(name: "inner child") {
          let trace = CrashKit.Trace(traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "00f067aa0ba902b7")
          await CrashKit.withContext("middle", trace: trace) {
            await CrashKit.withContext("inner", ["step": "2"]) { await hold(4) }
          }
        }
        await group.waitForAll()
      }
    }
  }
  Task.detached(name: "left") {
    await CrashKit.withContext("left") { await Task.yield() }
    await hold(5)
  }
  _ = try waiting.look(whenSuspended: 5)
  let isInside = DispatchSemaphore(value: 0)
  Thread {
    CrashKit.withContext("plain thread /?access_token=geheim") {
      isInside.signal()
      while true { sleep(1000) }
    }
  }.start()
  isInside.wait()
  let counter = Counter()
  Task.detached(name: "dies") {
    await CrashKit.withContext(
      "GET /orders/42", ["request.id": "r-42"],
      trace: .init(traceparent: "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01")
    ) {
      for _ in 0..<100 {
        await counter.add()
        try? await Task.sleep(for: .milliseconds(1))
      }
      fatalError("the request's fault")
    }
  }
  while true { sleep(1000) }
}

/// Opens more contexts than there is room for, captures a report, and leaves them all. The program dies in another.
func crashAmongContexts(_ count: Int) throws {
  for number in 0..<count { Task.detached { await CrashKit.withContext("many") { await hold(number) } } }
  while waiting.count < count { usleep(10_000) }
  CrashKit.withContext("found no room") { _ = try? CrashKit.capture("full") }
  for number in 0..<count { waiting.resume(number) }
  while true {
    let contexts = try CrashKit.tasks().count
    if contexts == 0 { break }
    usleep(10_000)
  }
  CrashKit.withContext("has room") { fatalError("the end") }
}

/// A task in a context and a thread in another one wait in the kernel, while a report is captured.
func captureBlocked() throws {
  let blocked = Mutex<[String]>([])
  @Sendable func block() {
    let thread = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? "none"
    blocked.withLock { $0.append(thread) }
    _ = poll(nil, 0, -1)
  }
  Task.detached(name: "blocks") { CrashKit.withContext("GET /slow") { block() } }
  Thread { CrashKit.withContext("plain thread") { block() } }.start()
  // The kernel's word for a thread that is in no system call.
  func runs(_ thread: String) -> Bool {
    (try? String(contentsOfFile: "/proc/\(thread)/syscall", encoding: .utf8))?.hasPrefix("running") ?? true
  }
  while true {
    let threads = blocked.withLock(\.self)
    if threads.count == 2, !threads.contains(where: runs) { break }
    usleep(1000)
  }
  try CrashKit.capture("while they wait")
}
