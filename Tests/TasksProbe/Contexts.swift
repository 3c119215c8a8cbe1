// Tasks inside contexts.

import CrashKit
import Foundation

private actor Counter {
  private var count = 0
  func add() { count += 1 }
}

/// Tasks wait in contexts and outside of them; then a task dies in one, after it has moved between threads.
func crashInContext() throws {
  Task.detached {
    await CrashKit.withContext("outer", ["request.id": "outer 1", "password": "geheim"]) {
      Task(name: "inherits") { await hold(1) }
      Task.detached(name: "detached") { await hold(2) }
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
