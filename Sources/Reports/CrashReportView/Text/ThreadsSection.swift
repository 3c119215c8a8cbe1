import CrashReportModel

/// The stacks: of the crashed thread first with what it lacks, then of the others, equal ones together.
struct ThreadsSection {
  /// So many threads of a group are named.
  private static let namedThreads = 6

  let report: CrashReport
  let options: TextReport.Options
  private let excerpts: Excerpts
  /// Why threads did not answer, by id.
  private let unanswered: [Int: String]

  init(report: CrashReport, options: TextReport.Options, excerpts: Excerpts) {
    self.report = report
    self.options = options
    self.excerpts = excerpts
    let pairs = (report.capture?.unanswered ?? []).compactMap { note in
      note.id.flatMap { id in note.reason.map { (id, $0) } }
    }
    unanswered = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  func print(to printer: inout Printer) {
    // The stacks of a violation stand with what each thread did.
    guard report.violation == nil || report.signal != nil else {
      return MissingSymbolsSection(report: report).print(to: &printer)
    }
    let threads = report.threads ?? []
    let stack = StackLines(report, options.sources)
    let locks = LockLines(stack: stack, names: ThreadNames(report))
    let printing = StackPrinting(excerpts: excerpts)
    let missing = MissingSymbolsSection(report: report)
    let crashed = threads.firstIndex { $0.crashed == true }
    if let crashed {
      let thread = threads[crashed]
      printer.heading("Thread \(thread.label(at: crashed)) crashed\(task(of: thread))\(count(threads.count))")
      printer.line()
      printing.print(stack.lines(thread.frames ?? []), withSource: true, to: &printer)
      printEnd(of: thread, to: &printer)
      for line in locks.lines(of: thread) { printer.line(line) }
      missing.print(to: &printer)
    }
    let groups = self.groups(threads, without: crashed, stack)
    // Threads of our own come after the program's.
    let own = groups.filter { threads[$0.members[0]].belongsTo != nil }
    for group in groups.filter({ threads[$0.members[0]].belongsTo == nil }) + own {
      printer.heading(heading(of: group, in: threads))
      printing.print(group.lines, withSource: crashed == nil && group.members[0] == 0, to: &printer)
      printEnd(of: threads[group.members[0]], to: &printer)
      for line in locks.lines(of: threads[group.members[0]]) { printer.line(line) }
    }
    if crashed == nil { missing.print(to: &printer) }
  }

  private func count(_ listed: Int) -> String {
    let total = max(report.capture?.threads ?? 0, listed + (report.omittedThreads ?? 0))
    return total > 1 ? ", of \(total) threads" : ""
  }

  /// " in task 17 "fetch profile" of task 3", or nothing.
  private func task(of thread: CrashReport.Thread) -> String {
    guard let task = thread.task, let label = task.label else { return "" }
    return " in \(label)" + (task.parent?.label.map { " of \($0)" } ?? "")
  }

  /// ", sleeping" or ", crashing (SIGSEGV at 0x0000000000000008)", or nothing.
  private func state(of thread: CrashReport.Thread) -> String {
    guard let state = thread.state else { return "" }
    guard let signal = thread.signal?.name else { return ", \(state)" }
    return ", \(state) (\(signal)\(thread.faultAddress.map { " at \($0)" } ?? ""))"
  }

  private struct Group {
    var members: [Int]
    var lines: [StackLine]
  }

  private func groups(_ threads: [CrashReport.Thread], without crashed: Int?, _ stack: StackLines) -> [Group] {
    struct Key: Hashable {
      var calls: [String]
      var state: String
      var end: String?
      var owner: String?
    }
    var groups: [Group] = []
    var places: [Key: Int] = [:]
    for (index, thread) in threads.enumerated() where index != crashed {
      let lines = stack.lines(thread.frames ?? [])
      let key = Key(
        calls: lines.map(\.identity), state: state(of: thread), end: thread.stackEnd, owner: thread.belongsTo)
      // Threads that hold or want locks differ by these.
      let hasLocks = !(thread.heldLocks ?? []).isEmpty || thread.waitingFor.map(LockLines.tellsMore) == true
      if let place = places[key], !hasLocks {
        groups[place].members.append(index)
      } else {
        if !hasLocks { places[key] = groups.count }
        groups.append(Group(members: [index], lines: lines))
      }
    }
    return groups
  }

  private func heading(of group: Group, in threads: [CrashReport.Thread]) -> String {
    let first = threads[group.members[0]]
    let state = (first.belongsTo.map { ", \($0)'s own" } ?? "") + state(of: first)
    guard group.members.count > 1 else {
      let task = task(of: first)
      return "Thread \(first.label(at: group.members[0]))\(state)\(state.isEmpty || task.isEmpty ? "" : ",")\(task)"
    }
    let names = Set(group.members.map { threads[$0].name })
    let shared = names.count == 1 ? first.name.map { " \"\($0)\"" } ?? "" : ""
    let labels = group.members.prefix(Self.namedThreads).map { index in
      let thread = threads[index]
      let label = names.count == 1 ? thread.id?.description ?? "#\(index)" : thread.label(at: index)
      return label + (thread.task?.label.map { " (\($0))" } ?? "")
    }
    let more = group.members.count - labels.count
    let list = labels.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return "\(group.members.count) threads\(shared) with this stack\(state): \(list)"
  }

  /// Says why a stack is not whole.
  private func printEnd(of thread: CrashReport.Thread, to printer: inout Printer) {
    let reason = thread.id.flatMap { unanswered[$0] }
    let end = thread.stackEnd.flatMap { $0 == "entry" ? nil : $0 } ?? reason
    if thread.frames?.isEmpty ?? true {
      printer.line("   no stack: \(end ?? "none was captured")", .warning)
    } else if let end {
      printer.line("   the stack ends here: \(end)", .warning)
    }
  }
}
