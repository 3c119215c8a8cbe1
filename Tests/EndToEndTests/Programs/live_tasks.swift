// Tasks that wait for something of each kind; when all wait, the main thread writes to a null pointer.
//
// live_tasks [COUNT | circle | stay]: COUNT tasks at one place, and nothing else; circle: a group waits for a child that
// waits for it; stay: prints its number, does not crash.
import Glibc
import Synchronization

let waiting = Mutex<[UnsafeContinuation<Void, Never>]>([])
let checked = Mutex<[CheckedContinuation<Void, Never>]>([])

actor Ledger {
  private let entered: @Sendable () -> Void
  init(entered: @escaping @Sendable () -> Void) { self.entered = entered }

  /// Holds the actor, and its thread, for good.
  func block() {
    entered()
    while true { pause() }
  }
  func read() -> Int { 1 }
}

/// How many of those are about to wait that no continuation of ours counts.
let begun = Atomic<Int>(0)
func begin() { begun.add(1, ordering: .releasing) }

@inline(never) func hold() async {
  await withUnsafeContinuation { continuation in waiting.withLock { $0.append(continuation) } }
}
@inline(never) func holdChecked() async {
  await withCheckedContinuation { continuation in checked.withLock { $0.append(continuation) } }
}
@inline(never) func fetchProfile() async {
  await hold()
  print("never")
}
@inline(never) func awaitTask() async {
  begin()
  let task = Task(name: "awaited") { await hold() }
  await task.value
  print("never")
}
@inline(never) func awaitGroup() async {
  begin()
  await withTaskGroup(of: Void.self) { group in
    group.addTask(name: "first part") { await hold() }
    group.addTask(name: "second part") { await hold() }
    await group.waitForAll()
  }
  print("never")
}
@inline(never) func awaitAsyncLet() async {
  begin()
  async let part: Void = hold()
  _ = await part
  print("never")
}
@inline(never) func sleepLong() async {
  begin()
  try? await Task.sleep(for: .seconds(100_000))
  print("never")
}
@inline(never) func readStream(_ stream: AsyncStream<Int>) async {
  begin()
  for await number in stream { print(number) }
}
@inline(never) func askLedger(_ ledger: Ledger) async {
  begin()
  print(await ledger.read())
}

/// A group whose child waits for the task that has the group, and a task that waits for that one.
func startCircle() {
  let (handles, give) = AsyncStream.makeStream(of: Task<Void, Never>.self)
  let parent = Task.detached(name: "parent") {
    begin()
    await withTaskGroup(of: Void.self) { group in
      group.addTask(name: "child") {
        begin()
        for await parent in handles { await parent.value }
      }
      await group.waitForAll()
    }
  }
  Task.detached(name: "bystander") {
    begin()
    await parent.value
  }
  give.yield(parent)
  give.finish()
}

/// Until all have begun to wait, and then until no thread but this one runs, at ten looks in a row: a task that sleeps,
/// or waits for another, cannot say that it has suspended.
func waitUntilAllWait(holding count: Int, others: Int) {
  while waiting.withLock({ $0.count }) + checked.withLock({ $0.count }) < count { usleep(1000) }
  while begun.load(ordering: .acquiring) < others { usleep(1000) }
  let own = String(getpid())
  var calm = 0
  while calm < 10 {
    usleep(10_000)
    var runs = false
    guard let folder = opendir("/proc/self/task") else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != own, Int(name) != nil, let file = fopen("/proc/self/task/\(name)/stat", "r") else { continue }
      var line = [CChar](repeating: 0, count: 512)
      fgets(&line, 512, file)
      fclose(file)
      let text = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.split(separator: ")").last?.hasPrefix(" R") == true { runs = true }
    }
    closedir(folder)
    calm = runs ? 0 : calm + 1
  }
}

func startOneOfEach() {
  for number in 1...3 { Task.detached(name: "profile \(number)") { await fetchProfile() } }
  Task.detached(name: "checked") { await holdChecked() }
  Task.detached(name: "task") { await awaitTask() }
  Task.detached(name: "group") { await awaitGroup() }
  Task.detached(name: "async let") { await awaitAsyncLet() }
  Task.detached(name: "sleep", priority: .background) { await sleepLong() }
  Task.detached(name: "stream") {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    await readStream(stream)
    continuation.finish()
  }
  // Its name is longer than what a report keeps.
  let cancelled = Task.detached(name: "cancelled " + String(repeating: "é", count: 100)) { await hold() }
  cancelled.cancel()
  let ledger = Ledger { Task.detached(name: "actor") { await askLedger(held.withLock { $0! }) } }
  held.withLock { $0 = ledger }
  Task.detached(name: "running") { await ledger.block() }
  // Many that come and go leave their memory behind.
  for _ in 0..<2000 { Task.detached { _ = 1 } }
}
let held = Mutex<Ledger?>(nil)

@main
struct Main {
  static func main() {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) }
    if let count {
      for _ in 0..<count { Task.detached { await fetchProfile() } }
      waitUntilAllWait(holding: count, others: 0)
    } else if CommandLine.arguments.last == "circle" {
      startCircle()
      waitUntilAllWait(holding: 0, others: 3)
    } else {
      startOneOfEach()
      waitUntilAllWait(holding: 9, others: 6)
    }
    if CommandLine.arguments.last == "stay" {
      print(getpid())
      fflush(nil)
      while readLine() != nil {}
      print("goes on")
      exit(0)
    }
    UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1  // It crashes here.
  }
}
