// Threads that wait inside libdispatch and for a variable's first value; or three that wait for each other, for a Mutex,
// a lock of Foundation and a queue. When all wait, the main thread writes to a null pointer.
//
// dispatch_waits each | circle [stay]
import Foundation
import Synchronization

let cache = DispatchQueue(label: "app.cache")
let behindCache = DispatchQueue(label: "app.behind", target: cache)
let readers = DispatchQueue(label: "app.readers", attributes: .concurrent)
let paused = DispatchQueue(label: "app.paused")
let group = DispatchGroup()
let semaphore = DispatchSemaphore(value: 0)
nonisolated(unsafe) let work = DispatchWorkItem {}
let lock = NSLock()
let state = Mutex(0)
let never = DispatchSemaphore(value: 0)

enum Settings {
  static let loaded: Int = {
    forEver("first")
    return 1
  }()
}

// Glibc's module leaves it out.
@_silgen_name("pthread_setname_np")
func setName(_ thread: pthread_t, _ name: UnsafePointer<CChar>) -> Int32

func text(_ file: String, of thread: String) -> String {
  (try? String(contentsOfFile: "/proc/self/task/\(thread)/\(file)", encoding: .utf8)) ?? ""
}

/// Until the threads of these names sleep in futex(2).
func waitUntil(_ names: Set<String>) {
  var waiting: Set<String> = []
  while waiting != names {
    usleep(1000)
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    let asleep = threads.filter { ["202", "98"].contains(text("syscall", of: $0).prefix { $0 != " " }) }
    waiting = names.intersection(asleep.map { String(text("comm", of: $0).dropLast()) })
  }
}

func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
  Thread {
    _ = setName(pthread_self(), name)
    body()
  }.start()
}

func forEver(_ name: String) {
  _ = setName(pthread_self(), name)
  never.wait()
}

@main struct Main {
  static func main() {
    waitUntil(CommandLine.arguments[1] == "circle" ? circle() : each())
    if CommandLine.arguments.last == "stay" {
      print(getpid())
      fflush(nil)
      while readLine() != nil {}
      _exit(0)
    }
    UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
  }

  static func each() -> Set<String> {
    group.enter()
    cache.async { forEver("on-cache") }
    readers.async(flags: .barrier) { forEver("on-readers") }
    start("initialises") { _ = Settings.loaded }
    waitUntil(["on-cache", "on-readers", "first"])
    start("sync") { cache.sync {} }
    start("behind") { behindCache.sync {} }
    start("reads") { readers.sync {} }
    paused.suspend()
    start("paused") { paused.sync {} }
    start("main-queue") { DispatchQueue.main.sync {} }
    start("group") { group.wait() }
    start("timed-group") { _ = group.wait(timeout: .now() + 60) }
    start("semaphore") { semaphore.wait() }
    start("timed-sem") { _ = semaphore.wait(timeout: .now() + 60) }
    start("item") { work.wait() }
    start("once") { _ = Settings.loaded }
    return [
      "on-cache", "on-readers", "first", "sync", "behind", "reads", "paused", "main-queue", "group", "timed-group",
      "semaphore", "timed-sem", "item", "once",
    ]
  }

  static func circle() -> Set<String> {
    let all = DispatchGroup()
    for _ in 0..<3 { all.enter() }
    @Sendable func holdOne() {
      all.leave()
      all.wait()
    }
    start("has-mutex") {
      state.withLock { _ in
        holdOne()
        lock.withLock {}
      }
    }
    start("has-lock") {
      lock.withLock {
        holdOne()
        cache.sync {}
      }
    }
    cache.async {
      _ = setName(pthread_self(), "on-cache")
      holdOne()
      state.withLock { $0 += 1 }
    }
    all.wait()
    // They waited for each other until now.
    usleep(100_000)
    return ["has-mutex", "has-lock", "on-cache"]
  }
}
