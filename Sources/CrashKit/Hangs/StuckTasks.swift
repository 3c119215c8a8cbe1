/// Finds the tasks that are stuck, from several looks at all tasks.
///
/// A task is stuck if each look for some time found it at the same place and with the same memory, and if it does not
/// wait for something that continues. Sleeping tasks, and tasks that wait for a thread, continue by themselves.
struct StuckTasks {
  /// A task at one look.
  struct Task {
    var id: UInt64
    /// The id of its parent task.
    var parent: UInt64?
    var state: CrashKit.LiveTask.State
    var awaits: CrashKit.LiveTask.Awaited?
    /// A hash of its frames and its memory.
    var place: UInt64
    /// A hash of its frames.
    var chain: UInt64
    var isSleeping: Bool
    /// Whether the program wants it watched.
    var isWatched: Bool
  }

  /// A task must be at one place in at least this many looks.
  static let leastLooks = 3

  private struct Stay {
    var place: UInt64
    /// When a look found it here first, in nanoseconds.
    var since: UInt64
    var looks: Int
  }

  private var stays: [UInt64: Stay] = [:]
  /// The chains of tasks that were reported.
  private var reported: Set<UInt64> = []
  let limit: UInt64

  init(limit: UInt64) { self.limit = limit }

  /// Forgets time in which the process did not run.
  mutating func forget(_ lost: UInt64) {
    for id in stays.keys { stays[id]?.since &+= lost }
  }

  /// Adds a look at the time `now`, in nanoseconds of a clock. Returns all stuck tasks, sorted by id, if one of them is
  /// at a place that no report has named; otherwise no task.
  mutating func look(_ tasks: [Task], at now: UInt64) -> [Task] {
    stays = Dictionary(
      tasks.map { task in
        guard var stay = stays[task.id], stay.place == task.place else {
          return (task.id, Stay(place: task.place, since: now, looks: 1))
        }
        stay.looks += 1
        return (task.id, stay)
      }, uniquingKeysWith: { first, _ in first })
    let stuck = stuck(among: tasks, at: now)
    let isNew = stuck.contains { !reported.contains($0.chain) }
    reported.formUnion(stuck.map(\.chain))
    return isNew ? stuck.sorted { $0.id < $1.id } : []
  }

  /// For how long looks have found the task at its place, in nanoseconds.
  func unmoved(_ task: Task, at now: UInt64) -> UInt64 {
    stays[task.id].map { now > $0.since ? now - $0.since : 0 } ?? 0
  }

  private func goesOn(_ task: Task, at now: UInt64) -> Bool {
    guard task.state == .suspended, task.isWatched, !task.isSleeping, let stay = stays[task.id] else { return true }
    return stay.looks < Self.leastLooks || unmoved(task, at: now) < limit
  }

  /// A task is not stuck if it waits for a task that continues. Of the other tasks, this returns those that wait for no
  /// task, and those that wait for each other.
  private func stuck(among tasks: [Task], at now: UInt64) -> [Task] {
    let byID = Dictionary(tasks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let children = Dictionary(grouping: tasks.filter { $0.parent != nil }, by: { $0.parent! })
    var waiters: [UInt64: [UInt64]] = [:]
    var going: [UInt64] = []
    var roots: [UInt64] = []
    for task in byID.values {
      let awaited = Self.awaited(by: task, byID, children)
      for id in awaited ?? [] { waiters[id, default: []].append(task.id) }
      let isUnknown = awaited?.isEmpty == true
      if isUnknown || goesOn(task, at: now) {
        going.append(task.id)
      } else if awaited == nil {
        roots.append(task.id)
      }
    }
    let moving = Self.closure(of: going, waiters)
    let stuckRoots = roots.filter { !moving.contains($0) }
    let explained = Self.closure(of: stuckRoots, waiters)
    let circles = byID.keys.filter { !moving.contains($0) && !explained.contains($0) }
    return (stuckRoots + circles).compactMap { byID[$0] }
  }

  /// The ids of the tasks for which a task waits: empty if they are not known, `nil` if it waits for something else.
  private static func awaited(
    by task: Task, _ byID: [UInt64: Task], _ children: [UInt64: [Task]]
  ) -> [UInt64]? {
    guard task.state == .suspended else { return nil }
    switch task.awaits {
    case .task(let id), .asyncLet(let id): return id.flatMap { byID[$0] }.map { [$0.id] } ?? []
    case .group: return children[task.id]?.map(\.id) ?? []
    default: return nil
    }
  }

  /// These and all that wait for them, directly or not.
  private static func closure(of ids: [UInt64], _ waiters: [UInt64: [UInt64]]) -> Set<UInt64> {
    var found = Set(ids)
    var next = ids
    while let id = next.popLast() {
      for waiter in waiters[id] ?? [] where found.insert(waiter).inserted { next.append(waiter) }
    }
    return found
  }
}
