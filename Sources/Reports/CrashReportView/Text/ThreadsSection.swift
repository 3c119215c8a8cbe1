import CrashReportModel

/// The stacks: of the crashed thread first with what it lacks, then of the others, equal ones together.
struct ThreadsSection {
  /// At most this many threads of a group are named.
  private static let namedThreads = 6

  let report: CrashReport
  let options: TextReport.Options
  private let excerpts: Excerpts
  private let threads: [CrashReport.Thread]
  /// The place of the crashed thread among the threads.
  private let crashed: Int?
  /// The threads of a hang, by id.
  private let subjects: Set<Int>
  /// The threads of deadlocks, by id.
  private let deadlocked: Set<Int>
  /// Why threads did not answer, by id.
  private let unanswered: [Int: String]

  init(report: CrashReport, options: TextReport.Options, excerpts: Excerpts) {
    self.report = report
    self.options = options
    self.excerpts = excerpts
    threads = report.threads ?? []
    crashed = threads.firstIndex { $0.crashed == true }
    subjects = HangCulprit(report).ids
    let steps = report.deadlock?.circles.flatMap { $0.steps ?? [] } ?? []
    deadlocked = Set(steps.compactMap(\.thread))
    let pairs = (report.capture?.unanswered ?? []).compactMap { note in
      note.id.flatMap { id in note.reason.map { (id, $0) } }
    }
    unanswered = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  func print(to printer: inout Printer) {
    let missing = MissingSymbolsSection(report: report)
    guard isShown else { return missing.print(to: &printer) }
    if crashed != nil {
      printCrashed(to: &printer)
      GuardedSection(report: report, options: options, excerpts: excerpts).print(to: &printer)
      ThrownSection(report: report, options: options, excerpts: excerpts).printCause(to: &printer)
      missing.print(to: &printer)
      printOthers(to: &printer)
    } else {
      printOthers(to: &printer)
      missing.print(to: &printer)
    }
  }

  /// Whether threads are shown at all. The stacks of a violation are shown with the actions of each thread.
  var isShown: Bool { report.violation == nil || report.signal != nil }

  /// The crashed thread, if there is one.
  func printCrashed(to printer: inout Printer) {
    guard isShown, let crashed, let heading = crashedHeading else { return }
    let thread = threads[crashed]
    let stack = StackLines(report, options.sources)
    printer.heading(heading)
    printer.line()
    StackPrinting(excerpts: excerpts).print(stack.lines(thread.frames ?? []), withSource: true, to: &printer)
    printEnd(of: thread, to: &printer)
    for line in LockLines(stack: stack, names: ThreadNames(report)).lines(of: thread) { printer.line(line) }
  }

  /// "Thread 17 "worker" crashed in task 3, of 8 threads", if a thread crashed.
  var crashedHeading: String? {
    crashed.map { index in
      "Thread \(threads[index].label(at: index)) crashed\(task(of: threads[index]))\(count(threads.count))"
    }
  }

  /// The threads that did not crash.
  func printOthers(to printer: inout Printer) {
    guard isShown else { return }
    let stack = StackLines(report, options.sources)
    let locks = LockLines(stack: stack, names: ThreadNames(report))
    for (place, group) in groups(stack).enumerated() {
      printer.heading(heading(of: group))
      StackPrinting(excerpts: excerpts).print(group.lines, withSource: crashed == nil && place == 0, to: &printer)
      printEnd(of: threads[group.members[0]], to: &printer)
      for line in locks.lines(of: threads[group.members[0]]) { printer.line(line) }
    }
  }

  private func count(_ listed: Int) -> String {
    let total = max(report.capture?.threads ?? 0, listed + (report.omittedThreads ?? 0))
    return total > 1 ? ", of \(total) threads" : ""
  }

  /// " in task 17 "fetch profile" of task 3", or nothing.
  private func task(of thread: CrashReport.Thread) -> String {
    let context = thread.context?.suffix ?? ""
    guard let task = thread.task, let label = task.label else { return context }
    return " in \(label)" + (task.parent?.label.map { " of \($0)" } ?? "") + context
  }

  /// ", sleeping" or ", crashing (SIGSEGV at 0x0000000000000008)", or nothing.
  private func state(of thread: CrashReport.Thread) -> String {
    guard let state = thread.state else { return "" }
    guard let signal = thread.signal?.name else { return ", \(state)" }
    return ", \(state) (\(signal)\(thread.faultAddress.map { " at \($0)" } ?? ""))"
  }

  /// Threads that do the same, by their places among the threads.
  struct Group {
    var members: [Int]
    var lines: [StackLine]
  }

  /// All threads but the crashed one. Threads with equal stacks are one group. First come the threads that the report is
  /// about, then those in a deadlock, then those in the program's own code.
  func groups(_ stack: StackLines) -> [Group] {
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
    let ranks = groups.map(rank)
    return groups.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { groups[$0] }
  }

  private enum Rank: Int, Comparable {
    case subject, deadlocked, inOwnCode, others, crashKits

    static func < (first: Rank, second: Rank) -> Bool { first.rawValue < second.rawValue }
  }

  private func rank(of group: Group) -> Rank {
    let members = group.members.map { threads[$0] }
    if members[0].belongsTo != nil { return .crashKits }
    func holds(_ ids: Set<Int>) -> Bool { members.contains { $0.id.map(ids.contains) == true } }
    // Who asked for a report stands first in it.
    let isAsker = group.members[0] == 0 && members[0].capturedBy == "caller"
    if isAsker || holds(subjects) { return .subject }
    if holds(deadlocked) { return .deadlocked }
    return group.lines.contains { $0.isOwn && $0.isFrame } ? .inOwnCode : .others
  }

  /// "3 threads with this stack, sleeping: 17, 18, 19".
  func heading(of group: Group) -> String {
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
      return label + (thread.task?.label.map { " (\($0))" } ?? "") + (thread.context?.suffix ?? "")
    }
    let more = group.members.count - labels.count
    let list = labels.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return "\(group.members.count) threads\(shared) with this stack\(state): \(list)"
  }

  private func printEnd(of thread: CrashReport.Thread, to printer: inout Printer) {
    if let words = end(of: thread) { printer.line("   \(words)", .warning) }
  }

  /// Why a stack is not complete; `nil` if it is complete.
  func end(of thread: CrashReport.Thread) -> String? {
    let reason = thread.id.flatMap { unanswered[$0] }
    let end = thread.stackEnd.flatMap { $0 == "entry" ? nil : $0 } ?? reason
    if thread.frames?.isEmpty ?? true { return "no stack: \(end ?? "none was captured")" }
    return end.map { "the stack ends here: \($0)" }
  }
}
