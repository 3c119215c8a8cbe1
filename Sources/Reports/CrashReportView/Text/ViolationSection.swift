import CrashReportModel

/// A broken rule: what was expected, the locks and the circle that they make, and the stacks of all threads that took
/// part in it.
struct ViolationSection {
  /// At most this many locks, this many orders of locks and this many stacks are shown.
  static let shownParts = 100

  let report: CrashReport
  let excerpts: Excerpts
  private let lines: StackLines

  init(report: CrashReport, options: TextReport.Options, excerpts: Excerpts) {
    self.report = report
    self.excerpts = excerpts
    lines = StackLines(report, options.sources)
  }

  func print(to printer: inout Printer) {
    guard let violation = report.violation else { return }
    printSummary(of: violation, to: &printer)
    printLocks(of: violation, to: &printer)
    let names = LockNames(violation.locks ?? [])
    let edges = violation.edges ?? []
    // What happened last is what people look at first: its source lines are shown, and those of its counterparts.
    for edge in edges.prefix(Self.shownParts) { print(edge, of: violation, names, to: &printer) }
    Self.printRest(of: edges.count, "order of locks", "orders of locks", to: &printer)
    let stacks = violation.stacks ?? []
    for (index, stack) in stacks.prefix(Self.shownParts).enumerated() {
      printer.heading(heading(of: stack))
      print(stack.frames ?? [], withSource: index < 2, to: &printer)
    }
    Self.printRest(of: stacks.count, "stack", "stacks", to: &printer)
  }

  /// Says how many of a violation's parts are left out.
  static func printRest(of count: Int, _ one: String, _ many: String, to printer: inout Printer) {
    let rest = count - shownParts
    guard rest > 0 else { return }
    printer.line("   ... \(rest) more \(rest == 1 ? one : many) not shown; --format json has all", .dim)
  }

  /// The rule, what it expects and where it is stated.
  func printSummary(of violation: CrashReport.Violation, to printer: inout Printer) {
    let rule = [report.kind?.rawValue, violation.code].compactMap { $0 }.joined(separator: "/")
    printer.line([violation.severity?.rawValue, rule].compactMap { $0 }.joined(separator: " "), .dim)
    if violation.expected != nil || violation.actual != nil {
      printer.line()
      if let expected = violation.expected { printer.line("   expected  \(Self.orNothing(expected))") }
      if let actual = violation.actual { printer.line("   found     \(Self.orNothing(actual))") }
    }
    if let location = violation.sourceLocation, let file = location.file {
      let function = violation.function.map { " in \($0)" } ?? ""
      printer.line()
      printer.line("   stated at \(file):\(location.line ?? 0)\(function)", .location)
    }
  }

  private static func orNothing(_ text: String) -> String { text.isEmpty ? "none" : text }

  // MARK: Locks

  /// The locks by their letters, and the circle that they make.
  func printLocks(of violation: CrashReport.Violation, to printer: inout Printer) {
    let locks = violation.locks ?? []
    guard !locks.isEmpty else { return }
    let names = LockNames(locks)
    let edges = violation.edges ?? []
    let path = names.path(of: edges.prefix(Self.shownParts)) + (edges.count > Self.shownParts ? " → …" : "")
    printer.heading(edges.isEmpty ? "Locks" : "Locks: " + path)
    for (index, lock) in locks.prefix(Self.shownParts).enumerated() {
      let place = lines.lines((lock.origin ?? []).withoutGuard).first { $0.isOwn && $0.isFrame }
      let origin = place.map { "  seen first in \($0.function)\($0.location.isEmpty ? "" : ", \($0.location)")" } ?? ""
      printer.line([
        Segment("   \(names.letter(index))  ", .bold), Segment(names.description(of: lock)), Segment(origin, .location),
      ])
    }
    Self.printRest(of: locks.count, "lock", "locks", to: &printer)
  }

  private func print(
    _ edge: CrashReport.Violation.Edge, of violation: CrashReport.Violation, _ names: LockNames,
    to printer: inout Printer
  ) {
    let words = words(of: edge, in: violation, names)
    printer.heading(heading(of: edge, words, names))
    printer.line()
    printer.line("   \(words.place) here:", .bold)
    print(edge.toFrames ?? [], withSource: true, to: &printer)
    guard let origin = words.origin else { return }
    printer.line("   \(origin) here:", .bold)
    print(edge.fromFrames ?? [], withSource: true, to: &printer)
  }

  /// What the thread of an edge did, with the locks by their letters.
  func words(
    of edge: CrashReport.Violation.Edge, in violation: CrashReport.Violation, _ names: LockNames
  ) -> EdgeWords {
    EdgeWords(edge, of: violation, names, waits: report.kind == .deadlock) { lock, mode in
      names.letter(lock) + Self.mode(mode)
    }
  }

  /// "A → B: thread 17 took B while it held A, with C held as well".
  func heading(of edge: CrashReport.Violation.Edge, _ words: EdgeWords, _ names: LockNames) -> String {
    let from = edge.from.map(names.letter) ?? "?"
    let to = edge.to.map(names.letter) ?? "?"
    let also = (edge.held ?? []).filter { $0 != edge.from && $0 != edge.to }.map(names.letter)
    let rest = also.isEmpty ? "" : ", with \(also.joined(separator: ", ")) held as well"
    return "\(from) → \(to): \(Self.words(for: edge.thread)) \(words.deed)\(rest)"
  }

  /// "Enqueued from, thread 17".
  func heading(of stack: CrashReport.Violation.LabelledStack) -> String {
    let label = stack.label.flatMap { $0.isEmpty ? nil : $0 } ?? "stack"
    return "\(label.prefix(1).uppercased() + label.dropFirst()), \(Self.words(for: stack.thread))"
  }

  private static func mode(_ mode: String?) -> String { mode == "shared" ? " for reading" : "" }

  private static func words(for thread: CrashReport.Violation.Participant?) -> String {
    guard let id = thread?.id, id != 0 else { return "a thread" }
    return "thread \(id)" + (thread?.name.map { " \"\($0)\"" } ?? "")
  }

  // MARK: Stacks

  private func print(_ frames: [CrashReport.Frame], withSource: Bool, to printer: inout Printer) {
    guard !frames.isEmpty else { return printer.line("   no stack: none was recorded", .warning) }
    StackPrinting(excerpts: excerpts).print(lines.lines(frames.withoutGuard), withSource: withSource, to: &printer)
  }
}

extension [CrashReport.Frame] {
  /// The stack without ThreadGuard's own functions at its inner end, which say nothing of the program.
  var withoutGuard: Self {
    let rest = drop { frame in
      guard let symbol = frame.symbol else { return false }
      return OwnCode.guardPrefixes.contains(where: symbol.hasPrefix)
    }
    return rest.isEmpty ? self : Array(rest)
  }
}

/// Locks by letters, as a lock order is drawn.
struct LockNames {
  private let locks: [CrashReport.Violation.Lock]

  init(_ locks: [CrashReport.Violation.Lock]) { self.locks = locks }

  func lock(_ index: Int) -> CrashReport.Violation.Lock? { locks.indices.contains(index) ? locks[index] : nil }

  /// A to Z, and then L27 and so on; a question mark for what is no index.
  func letter(_ index: Int) -> String {
    guard index >= 0, index < .max else { return "?" }
    return index < 26 ? String(Unicode.Scalar(UInt8(ascii: "A") + UInt8(index))) : "L\(index + 1)"
  }

  /// `mutex "db" at 0x…`
  func description(of lock: CrashReport.Violation.Lock) -> String {
    let type = lock.type ?? "lock"
    let name = lock.name.map { " \"\($0)\"" } ?? ""
    return type + name + (lock.address.map { " at \($0)" } ?? "")
  }

  /// `A → B → A`; edges that do not follow each other begin anew after a comma.
  func path(of edges: some Sequence<CrashReport.Violation.Edge>) -> String {
    var text = ""
    var end: Int?
    for edge in edges {
      guard let from = edge.from, let to = edge.to else { continue }
      if end != from { text += (text.isEmpty ? "" : ", ") + letter(from) }
      text += " → " + letter(to)
      end = to
    }
    return text
  }
}
