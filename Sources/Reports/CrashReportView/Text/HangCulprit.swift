import CrashReportModel

/// What threads did during the hang: whether they computed or waited, and in which function of the program.
struct HangCulprit {
  /// At most this many functions are named in a sentence.
  private static let namedFunctions = 3

  private let report: CrashReport
  private let lines: StackLines
  /// Which part of the time each thread had a processor. A thread that was not watched for any time is not there.
  private let shares: [Int: Double]

  init(_ report: CrashReport) {
    self.report = report
    lines = StackLines(report, SourceFolders())
    let observed = report.hang?.observedFor ?? 0
    let times = (report.hang?.threads ?? []).compactMap { thread in
      thread.id.flatMap { id in thread.processorTime.map { (id, $0 / observed) } }
    }
    shares = observed > 0 ? Dictionary(times, uniquingKeysWith: { first, _ in first }) : [:]
  }

  /// `it computed in parse(_:) (92 % of 40 samples)`, or `its 2 threads waited in load()`; `nil` if that is not known.
  var words: String? {
    guard let hang = report.hang else { return nil }
    return hang.subject == "pool" ? poolWords(hang) : threadWords(hang) ?? actorWords(hang)
  }

  /// The ids of the threads that ran the hung subject, as far as they are known.
  var ids: Set<Int> {
    guard let hang = report.hang else { return [] }
    let known = [hang.thread] + (hang.threads ?? []).map(\.id) + threads(inActorOf: hang).map(\.id)
    return Set(known.compactMap(\.self))
  }

  /// `waited in load()`, of one thread of a pool; without a function of the program `waited`.
  func words(of thread: CrashReport.Thread) -> String {
    let function = innermost(thread.frames ?? []).map { " in \($0)" } ?? ""
    return deed(of: thread) + function
  }

  // MARK: One thread

  private func threadWords(_ hang: CrashReport.Hang) -> String? {
    guard let samples = hang.samples, !samples.isEmpty, let didCompute = didCompute(hang, samples) else { return nil }
    let stacks = samples.map { functions($0.frames ?? []) }
    guard let function = Self.shared(stacks) else { return nil }
    let share = stacks.count { $0.contains(function) } * 100 / stacks.count
    let count = counted(stacks.count, "sample")
    return "it \(didCompute ? "computed" : "waited") in \(function) (\(share) % of \(count))"
  }

  private func didCompute(_ hang: CrashReport.Hang, _ samples: [CrashReport.Hang.Sample]) -> Bool? {
    let ways = samples.compactMap(\.capturedBy)
    if ways.isEmpty { return nil }
    if let share = hang.thread.flatMap({ shares[$0] }), share >= 0.5 { return true }
    return ways.count { $0 == "signal" } * 2 > ways.count
  }

  /// The innermost function that most stacks have.
  private static func shared(_ stacks: [[String]]) -> String? {
    var counts: [String: Int] = [:]
    for stack in stacks { for function in Set(stack) { counts[function, default: 0] += 1 } }
    let candidates = Set(counts.filter { $0.value * 2 > stacks.count }.keys)
    return mostFrequent(stacks.compactMap { stack in stack.first(where: candidates.contains) }).first?.name
  }

  // MARK: An actor

  /// `thread 17 "worker" waited in Ledger.balance()`.
  private func actorWords(_ hang: CrashReport.Hang) -> String? {
    let threads = threads(inActorOf: hang)
    guard threads.count == 1 else { return nil }
    return "\(ThreadNames(report).label(of: threads[0].id)) \(words(of: threads[0]))"
  }

  /// The threads that are in a method of an actor that hung: any thread of the pool may run it, and one does at a time.
  /// Those of another actor of the same type look the same.
  private func threads(inActorOf hang: CrashReport.Hang) -> [CrashReport.Thread] {
    guard hang.subject == "actor", let type = hang.name, !type.isEmpty else { return [] }
    return (report.threads ?? []).filter { thread in
      (thread.frames ?? []).contains { frame in
        // What awaits a call of the actor does not run on it.
        guard frame.kind != .asyncResumePoint, let name = frame.name else { return false }
        return name.hasPrefix("\(type).") || name.contains(" in \(type).")
      }
    }
  }

  // MARK: A pool

  private func poolWords(_ hang: CrashReport.Hang) -> String? {
    let threads = threads(of: hang)
    guard !threads.isEmpty else { return nil }
    let deeds = Self.mostFrequent(threads.map(words(of:)))
    let count = threads.count == 1 ? "its one thread" : "its \(threads.count) threads"
    if deeds.count == 1 { return "\(count) \(deeds[0].name)" }
    let named = deeds.prefix(Self.namedFunctions).map { "\($0.count) \($0.name)" }
    let others = deeds.count > named.count ? " …" : ""
    return "of \(count) " + named.joined(separator: ", ") + others
  }

  /// The pool's threads, each once, in the order of the section.
  func threads(of hang: CrashReport.Hang) -> [CrashReport.Thread] {
    let threads = ThreadsByID(report)
    var seen: Set<Int> = []
    return (hang.threads ?? []).compactMap { thread in
      thread.id.flatMap { seen.insert($0).inserted ? threads[$0] : nil }
    }
  }

  private func deed(of thread: CrashReport.Thread) -> String {
    // On a busy machine, a thread that computes gets little processor time.
    let share = thread.id.flatMap { shares[$0] } ?? 0
    let hasComputed = share >= 0.5 || thread.state == "running" || thread.capturedBy == "signal"
    return hasComputed ? "computed" : "waited"
  }

  // MARK: Both

  private func functions(_ frames: [CrashReport.Frame]) -> [String] {
    // How a frame was found is no part of its name.
    let frames = frames.map { frame in
      var frame = frame
      frame.byFramePointer = nil
      return frame
    }
    return lines.lines(frames).filter { $0.isOwn && $0.isFrame && !$0.isThunk }.map { line in
      line.function.hasSuffix(" [inlined]") ? String(line.function.dropLast(" [inlined]".count)) : line.function
    }
  }

  private func innermost(_ frames: [CrashReport.Frame]) -> String? { functions(frames).first }

  /// Each name with its count, the most frequent first, and of equals the first that came.
  private static func mostFrequent(_ names: [String]) -> [(name: String, count: Int)] {
    var counts: [String: Int] = [:]
    var order: [String] = []
    for name in names {
      if counts[name] == nil { order.append(name) }
      counts[name, default: 0] += 1
    }
    return order.enumerated().map { ($0.element, counts[$0.element] ?? 0, $0.offset) }
      .sorted { ($1.1, $0.2) < ($0.1, $1.2) }.map { ($0.0, $0.1) }
  }
}
