import CCrashCapture
import Glibc

/// The watchdog of all tasks.
final class TaskWatch: @unchecked Sendable {
  /// A look is paid for by this many times its processor time of rest.
  private static let restPerLook: UInt64 = 1000
  /// The first looks may take this much processor time without such a rest, so a small program has its report soon.
  private static let freeTime: UInt64 = 30_000_000
  static let leastLimit: UInt64 = 200_000_000
  private static let leastRest: UInt64 = 50_000_000
  private static let longestFirstRest: UInt64 = 10_000_000_000
  /// At most this many ids are marked in a report.
  private static let markedTasks = 4096

  private let bell = Bell()
  private let limit: UInt64
  private let isWatched: @Sendable (CrashKit.LiveTask) -> Bool
  private var tasks: StuckTasks
  private var sleeps = KnownSleeps()

  init(limit: UInt64, _ isWatched: @escaping @Sendable (CrashKit.LiveTask) -> Bool) {
    self.limit = limit
    self.isWatched = isWatched
    tasks = StuckTasks(limit: limit)
  }

  /// Ends the watch. From any thread, more than once.
  func stop() { bell.stop() }

  /// Whether there is a thread for it.
  func start() -> Bool { OwnThread.startAtWork("crashkit.tasks") { self.run() } }

  private func run() {
    sleeps.start()
    defer { sleeps.end() }
    let usual = min(max(limit / 4, Self.leastRest), Self.longestFirstRest)
    var rest = Self.leastRest
    var taken: UInt64 = 0
    while true {
      let clock = Stopwatch()
      guard OwnThread.rest({ bell.wait(until: now() + rest) }) else { return }
      tasks.forget(clock.reading.time(lostBeyond: rest, tolerance: max(rest / 2, 20_000_000)))
      let before = now(CLOCK_THREAD_CPUTIME_ID)
      if !ck_is_traced() { look() }
      let took = now(CLOCK_THREAD_CPUTIME_ID) - before
      taken += took
      rest = taken > Self.freeTime ? max(usual, took * Self.restPerLook) : usual
    }
  }

  private func look() {
    guard var seen = see() else { return }
    let time = now()
    // Not during the search, which holds up captures: the program may make one of its own.
    for (index, task) in seen.all.enumerated() { seen.tasks[index].isWatched = OwnThread.rest { isWatched(task) } }
    let stuck = tasks.look(seen.tasks, at: time)
    guard let first = stuck.first else { return }
    report(stuck, name: seen.all.first { $0.id == first.id }?.name, at: time)
  }

  // MARK: A look

  private struct Seen {
    var tasks: [StuckTasks.Task] = []
    var all: [CrashKit.LiveTask] = []
    var sleeps: KnownSleeps

    mutating func add(_ found: ck_live_task) {
      let task = CrashKit.LiveTask(found)
      if let name = task.name, sleeps.isOwn(name) { return sleeps.learn(name, task) }
      var found = found
      let place = task.state == .suspended ? ck_live_task_place(&found) : 0
      let chain = task.resumeAddresses.reduce(into: UInt64(0xcbf2_9ce4_8422_2325)) { hash, address in
        hash = (hash ^ UInt64(address)) &* 0x100_0000_01b3
      }
      all.append(task)
      tasks.append(
        StuckTasks.Task(
          id: task.id, parent: task.parent, state: task.state, awaits: task.awaits, place: place, chain: chain,
          isSleeping: sleeps.isSleeping(task), isWatched: true))
    }
  }

  /// All tasks; `nil` if there is no complete list, or while sleeping tasks cannot be recognised.
  private func see() -> Seen? {
    var seen = Seen(sleeps: sleeps)
    var result = ck_live_tasks()
    withUnsafeMutablePointer(to: &seen) { seen in
      ck_live_tasks_visit(
        { seen, task in
          guard let seen, let task else { return }
          seen.assumingMemoryBound(to: Seen.self).pointee.add(task.pointee)
        }, seen, &result)
    }
    let wereKnown = sleeps.areKnown
    sleeps = seen.sleeps
    return result.error == 0 && result.why_none == nil && !result.is_cut && wereKnown ? seen : nil
  }

  // MARK: A report

  private func report(_ stuck: [StuckTasks.Task], name: String?, at time: UInt64) {
    let first = stuck[0]
    let name = name.map { " \"\($0)\"" } ?? ""
    let seconds = (stuck.map { tasks.unmoved($0, at: time) }.min() ?? limit) / 1_000_000_000
    let label = "task \(first.id)\(name)"
    let words =
      stuck.count == 1
      ? "\(label) has not moved for \(seconds) s"
      : "\(stuck.count) tasks have not moved for \(seconds) s: \(label) and \(stuck.count - 1) more"
    let ids = stuck.prefix(Self.markedTasks).map(\.id)
    var result = ck_live_result()
    var text = words
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        let words = $0
        OwnThread.rest { ck_report_stuck_tasks(words.baseAddress, words.count, ids, ids.count, &result) }
      }
    }
    guard result.error == 0, let path = CrashKit.text(of: result.path) else { return }
    CrashKit.say("\(words): \(path)")
  }
}
