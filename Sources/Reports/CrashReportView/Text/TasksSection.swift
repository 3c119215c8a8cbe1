import CrashReportModel

/// The live Swift tasks: first the tasks that wait at the same place, in groups, then the tree of parents and children.
struct TasksSection {
  static let mostGroups = 40
  /// At most this many tasks of a group are named.
  private static let namedTasks = 6
  private static let mostChildLines = 120
  /// The chains of this many groups fit on one screen.
  private static let fewGroups = 3
  private static let mostOverviewLines = 12
  private static let mostRunning = 256

  let report: CrashReport
  let options: TextReport.Options
  private let excerpts: Excerpts

  init(report: CrashReport, options: TextReport.Options, excerpts: Excerpts) {
    self.report = report
    self.options = options
    self.excerpts = excerpts
  }

  func print(to printer: inout Printer) {
    printSummary(to: &printer)
    printChains(to: &printer)
  }

  /// How many tasks there are, and where most of them wait.
  func printSummary(to printer: inout Printer) {
    let tasks = report.tasks ?? []
    guard !tasks.isEmpty else { return }
    printer.heading(summary(of: tasks))
    let stack = StackLines(report, options.sources)
    printRunning(tasks.filter { $0.state == .running }, stack, to: &printer)
    let groups = groups(tasks)
    if groups.count > Self.fewGroups { printOverview(groups, stack, to: &printer) }
  }

  private func printRunning(_ tasks: [CrashReport.LiveTask], _ stack: StackLines, to printer: inout Printer) {
    let (names, threads) = (ThreadNames(report), ThreadsByID(report))
    var places = StackPlaces(stack)
    for task in tasks.prefix(Self.mostRunning) {
      let place = places.place(of: task.thread, threads[task.thread]?.frames)
      printer.line("   \(task.label) runs on \(names.label(of: task.thread))\(place)")
    }
    if tasks.count > Self.mostRunning {
      printer.line("   ... and \(tasks.count - Self.mostRunning) more run; the report has all", .dim)
    }
  }

  /// The chains of the tasks, the oldest first, and the tree of parents and children.
  func printChains(to printer: inout Printer) {
    let tasks = report.tasks ?? []
    let groups = groups(tasks)
    let stack = StackLines(report, options.sources)
    let printing = StackPrinting(excerpts: excerpts)
    for group in groups.prefix(Self.mostGroups) {
      let lines = stack.lines(group.frames)
      printer.heading(heading(of: group, lines))
      printing.print(lines, withSource: false, to: &printer)
    }
    if groups.count > Self.mostGroups {
      printer.line()
      let more = counted(groups.count - Self.mostGroups, "more place")
      printer.line("   ... tasks wait at \(more); the report has all", .dim)
    }
    printTree(tasks, to: &printer)
  }

  /// A line for each place: where tasks are stuck, then the program's own, then those of libraries, of each the most frequent first.
  private func printOverview(_ groups: [Group], _ stack: StackLines, to printer: inout Printer) {
    let places = groups.enumerated().map { offset, group in
      let lines = stack.lines(group.frames)
      return (group: group, lines: lines, isOwn: lines.contains { $0.isOwn && $0.isFrame }, offset: offset)
    }
    let sorted = places.sorted { first, second in
      if first.group.isStuck != second.group.isStuck { return first.group.isStuck }
      if first.isOwn != second.isOwn { return first.isOwn }
      return (second.group.count, first.offset) < (first.group.count, second.offset)
    }
    for place in sorted.prefix(Self.mostOverviewLines) {
      printer.line("   \(deed(of: place.group, place.lines))\(place.group.isStuck ? " (stuck)" : "")")
    }
    if groups.count > Self.mostOverviewLines {
      printer.line("   ... and at \(counted(groups.count - Self.mostOverviewLines, "more place"))", .dim)
    }
  }

  // MARK: Words

  /// "212 Swift tasks: 3 running, 209 suspended", with those that are not listed, and whether there may be more.
  func summary(of tasks: [CrashReport.LiveTask]) -> String {
    let omitted = max(0, report.omittedTasks ?? 0)
    let (total, overflows) = tasks.count.addingReportingOverflow(omitted)
    let states = CrashReport.LiveTask.State.allCases.compactMap { state in
      let count = tasks.count { $0.state == state }
      return count > 0 ? "\(count) \(state.rawValue)" : nil
    }
    let listed = omitted > 0 ? ", of which \(tasks.count) \(tasks.count == 1 ? "is" : "are") listed" : ""
    let tasks = counted(overflows ? .max : total, "Swift task")
    let count = "\(tasks)\(listed): \(states.joined(separator: ", "))"
    return report.capture?.tasks?.isCut == true ? "at least \(count); the search ran out of time" : count
  }

  /// "3 tasks wait for a continuation in load(), Load.swift:7".
  private func deed(of group: Group, _ lines: [StackLine]) -> String {
    let first = group.members[0]
    let isOne = group.count == 1
    return "\(isOne ? first.label : "\(group.count) tasks") \(first.deed(isOne: isOne))\(lines.place ?? "")"
  }

  /// "3 tasks wait for a continuation in load(), Load.swift:7: task 1, task 2, task 3".
  func heading(of group: Group, _ lines: [StackLine]) -> String {
    let first = group.members[0]
    let deed = self.deed(of: group, lines)
    guard group.count > 1 else {
      let remarks = first.remarks(with: first.isCancelled == true ? ["cancelled"] : [])
      return "\(deed.prefix(1).uppercased())\(deed.dropFirst())\(remarks)"
    }
    let labels = group.members.prefix(Self.namedTasks).map { $0.label + $0.remarks() }.joined(separator: ", ")
    let more = group.count - min(group.members.count, Self.namedTasks)
    return "\(deed): \(labels)\(more > 0 ? " and \(more) more" : "")"
  }

  // MARK: Groups

  /// Tasks that wait at the same place.
  struct Group {
    var members: [CrashReport.LiveTask]
    var frames: [CrashReport.Frame]
    /// Those that are not listed among them.
    var count: Int
    var isStuck: Bool { members.contains { $0.isStuck == true } }
  }

  /// The tasks by their frames, those that are stuck first. A task that another task represents has that task's frames.
  func groups(_ tasks: [CrashReport.LiveTask]) -> [Group] {
    var groups: [Group] = []
    var places: [Int: Int] = [:]
    for task in tasks {
      guard let id = task.id, let frames = task.frames, places[id] == nil else { continue }
      places[id] = groups.count
      groups.append(Group(members: [task], frames: frames, count: max(1, task.alike ?? 1)))
    }
    for task in tasks {
      guard let example = task.framesOf, let place = places[example] else { continue }
      groups[place].members.append(task)
    }
    for index in groups.indices { groups[index].count = max(groups[index].count, groups[index].members.count) }
    return groups.filter(\.isStuck) + groups.filter { !$0.isStuck }
  }

  // MARK: Parents and children

  private func printTree(_ tasks: [CrashReport.LiveTask], to printer: inout Printer) {
    let (rows, isCut) = tree(of: tasks)
    guard !rows.isEmpty else { return }
    printer.heading("Swift tasks and their children")
    for row in rows { printer.line("   \(String(repeating: "  ", count: row.depth))\(row.text)") }
    if isCut { printer.line("   ... more are not shown; the report has all", .dim) }
  }

  /// The tree of parents and children: each task is after its parent, one level deeper.
  func tree(of tasks: [CrashReport.LiveTask]) -> (rows: [(depth: Int, text: String)], isCut: Bool) {
    let children = Dictionary(grouping: tasks.filter { $0.parent != nil && $0.id != nil }) { $0.parent ?? 0 }
    let pairs = tasks.compactMap { task in task.id.map { ($0, task) } }
    let byID = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    let roots = children.keys.filter { byID[$0]?.parent == nil }.sorted()
    var rows: [(depth: Int, text: String)] = []
    // Without recursion: a report may nest as deep as it likes, or in a circle.
    for root in roots {
      var next = [(id: root, depth: 0)]
      var seen: Set<Int> = []
      while rows.count < Self.mostChildLines, let (id, depth) = next.popLast() {
        guard seen.insert(id).inserted else { continue }
        let text = byID[id].map { "\($0.label) \($0.deed(isOne: true))" } ?? "task \(id), not listed"
        rows.append((min(depth, 20), text))
        next += (children[id] ?? []).reversed().compactMap { child in child.id.map { (id: $0, depth: depth + 1) } }
      }
    }
    return (rows, rows.count == Self.mostChildLines)
  }
}
