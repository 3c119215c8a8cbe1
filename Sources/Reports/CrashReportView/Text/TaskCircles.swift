import CrashReportModel

/// Swift tasks that wait for each other: whatever any of them waits for is the end of others among them.
struct TaskCircles {
  /// A task of a circle.
  struct Step {
    let task: CrashReport.LiveTask
    /// The task that has its frames: itself, or the one that stands for it.
    let example: CrashReport.LiveTask
    /// Whose end it waits for, by id, the oldest first.
    let awaited: [Int]
  }

  /// Each circle with its oldest task first.
  let circles: [[Step]]

  /// Finds the circles. If the report lacks tasks, there are no circles: a missing task may end a wait.
  init(_ report: CrashReport) {
    let tasks = (report.tasks ?? []).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
    let pairs = tasks.compactMap { task in task.id.map { ($0, task) } }
    let byID = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    guard report.capture?.tasks?.isCut != true, report.omittedTasks ?? 0 == 0, pairs.count == byID.count else {
      circles = []
      return
    }
    let awaited = Self.awaited(tasks)
    circles = Self.parts(of: Self.knot(awaited), awaited).map { part in
      part.compactMap { id in
        byID[id].map { task in
          Step(task: task, example: task.framesOf.flatMap { byID[$0] } ?? task, awaited: awaited[id] ?? [])
        }
      }
    }
  }

  /// The tasks whose end each task waits for, if it waits for nothing else. A group may end its wait by any child.
  private static func awaited(_ tasks: [CrashReport.LiveTask]) -> [Int: [Int]] {
    let children = Dictionary(grouping: tasks.filter { $0.parent != nil }) { $0.parent ?? 0 }
    return tasks.reduce(into: [:]) { awaited, task in
      guard let id = task.id, task.state == .suspended else { return }
      switch task.awaits?.kind {
      case .task, .asyncLet: awaited[id] = task.awaits?.id.map { [$0] }
      case .group: awaited[id] = children[id]?.compactMap(\.id)
      default: break
      }
    }
  }

  /// The tasks that wait for tasks of this set alone, without those for which none of them waits.
  private static func knot(_ awaited: [Int: [Int]]) -> Set<Int> {
    var waiters: [Int: [Int]] = [:]
    for (id, others) in awaited { for other in others { waiters[other, default: []].append(id) } }
    // A task that waits for one outside goes on when that one ends; then so does each task that waits for it.
    var knot = Set(awaited.keys)
    var next = awaited.values.joined().filter { awaited[$0] == nil }
    while let outside = next.popLast() {
      for waiter in waiters[outside] ?? [] where knot.remove(waiter) != nil { next.append(waiter) }
    }
    // A task at a loose end waits for the circle, and is no part of it.
    var counts = knot.reduce(into: [:]) { counts, id in
      counts[id] = waiters[id, default: []].count { knot.contains($0) }
    }
    next = knot.filter { counts[$0] == 0 }
    while let loose = next.popLast() {
      knot.remove(loose)
      for other in awaited[loose] ?? [] {
        counts[other, default: 0] -= 1
        if counts[other] == 0 { next.append(other) }
      }
    }
    return knot
  }

  /// The sets of tasks that are joined by waits, each from its oldest on.
  private static func parts(of knot: Set<Int>, _ awaited: [Int: [Int]]) -> [[Int]] {
    var joined: [Int: [Int]] = [:]
    for id in knot {
      for other in awaited[id] ?? [] {
        joined[id, default: []].append(other)
        joined[other, default: []].append(id)
      }
    }
    var seen: Set<Int> = []
    return knot.sorted().compactMap { start in
      guard seen.insert(start).inserted else { return nil }
      var part = [start]
      var next = [start]
      while let id = next.popLast() {
        for other in joined[id] ?? [] where seen.insert(other).inserted {
          part.append(other)
          next.append(other)
        }
      }
      return part.sorted()
    }
  }
}

extension TaskCircles.Step {
  /// At most this many children of a group are named.
  private static let namedChildren = 6

  /// ", of task 5 and task 6": the children of a group.
  var groupWords: String {
    guard task.awaits?.kind == .group, !awaited.isEmpty else { return "" }
    let names = awaited.prefix(Self.namedChildren).map { "task \($0)" }.joined(separator: ", ")
    let more = awaited.count - Self.namedChildren
    return ", so for \(names)\(more > 0 ? " and \(more) more" : "")"
  }
}
