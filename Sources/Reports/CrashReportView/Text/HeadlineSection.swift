import CrashReportModel

/// What happened, in which program, where and when.
struct HeadlineSection {
  let report: CrashReport

  func print(to printer: inout Printer, sources: SourceFolders) {
    printer.line([Segment(subject + " ", .bold), Segment(headline, .alarm)])
    let tests = TestWords(report: report)
    if let sentence = tests.sentence { printer.line(sentence, .bold) }
    if let words = report.contextWords { printer.line("in \(words)", .bold) }
    if let sentence = tests.othersSentence { printer.line(sentence, .dim) }
    if let sentence = PointerWords(report)?.sentence { printer.line("\(sentence).", .bold) }
    if let message = report.message, !message.isEmpty {
      printer.line()
      for line in message.split(separator: "\n").prefix(40) { printer.line("    \(line)", .bold) }
      printer.line()
    }
    if let sentence = ThrownSection.sentence(in: report, sources) { printer.line(sentence, .bold) }
    let details = [
      signal, report.timestamp.map(Formatting.moment), uptime.map { "\($0) after the start" },
    ].compactMap { $0 }
    if !details.isEmpty { printer.line(details.joined(separator: ", "), .dim) }
    for reason in incomplete { printer.line("This report is incomplete: \(reason).", .warning) }
  }

  /// Why the report is incomplete.
  var incomplete: [String] {
    (report.capture?.cutShort ?? []).filter { $0.what == "report" }.map { $0.reason ?? "no reason given" }
  }

  /// The application with its version, or the best name there is.
  var subject: String {
    let application = report.application
    var words = application?.name ?? report.process?.name ?? mainImage ?? "The program"
    if let version = application?.version { words += " \(version)" }
    if let build = application?.build { words += " (build \(build))" }
    return words
  }

  /// Swift's log names no process; its first image outside the system is the program.
  private var mainImage: String? {
    report.images?.first { !($0.path ?? "/usr/lib/").hasPrefix("/usr/lib/") && !($0.name ?? "lib").hasPrefix("lib") }?
      .name
  }

  /// What happened to it, and why.
  var headline: String {
    if report.kind == .starvedPool, let hang = report.hang { return "starved its tasks: \(words(of: hang))" }
    if let hang = report.hang { return "hung\(thread): \(words(of: hang))" }
    let why = Reason.text(of: report)
    let what: String
    switch report.kind {
    case .crashReport, nil: what = report.signal?.name.map { "died of \($0)" } ?? "crashed"
    case .hang: what = "hung"
    case .starvedPool: what = "starved its tasks"
    case .deadlock: what = "deadlocked"
    case .lockOrderInversion: what = "took locks in opposite orders"
    case .lockMisuse: what = "misused a lock"
    case .mainQueueViolation: what = misplaced
    case .dataRace: what = "raced for data"
    case .nan: what = "made a NaN"
    case .capture: what = "was captured"
    case .stuckTask: what = "has tasks that are stuck"
    case .leakedContinuation: what = "leaked a continuation"
    case .error: what = "met an error"
    case .uncleanExit: what = "ended without a crash report"
    }
    return what + thread + (why.map { ": \($0)" } ?? "")
  }

  /// What a violation of a queue's rule is in words.
  private var misplaced: String {
    switch report.violation?.code {
    case "wrong-actor": "left its actor"
    case "blocks-main-queue": "was on the main queue"
    case "forbidden-queue": "was on a forbidden queue"
    case "wrong-queue" where report.violation?.expected != "com.apple.main-thread": "was on the wrong queue"
    default: "was off the main queue"
    }
  }

  /// `main queue did not run for 1.2 s, recovered: it waited in load() (100 % of 12 samples)`
  func words(of hang: CrashReport.Hang) -> String {
    var words = report.description ?? "a queue did not run"
    // Such a report was written when the hang began: its length is not known, nor whether it has ended.
    let isBeginning = hang.ended == false
    if let duration = hang.duration, duration.isFinite {
      words += " for \(isBeginning ? "at least " : "")\(Formatting.duration(duration))"
    }
    if isBeginning {
      words += ", and its end was not seen"
    } else {
      words += hang.recovered == true ? ", recovered" : ", not recovered"
    }
    if let culprit = HangCulprit(report).words { return "\(words): \(culprit)" }
    guard hang.thread != nil else { return "\(words); which thread ran it is not known" }
    return words + "; \(counted(hang.samples?.count ?? 0, "sample"))"
  }

  private var thread: String {
    report.subject.map { " in thread \($0.thread.label(at: $0.index))" } ?? ""
  }

  /// The signal with its number, its code and who sent it.
  var signal: String? {
    guard let signal = report.signal else {
      return report.faultAddress.map { "fault address \($0)" }
    }
    var words = signal.name ?? "signal"
    if let number = signal.number { words += " (\(number))" }
    if let code = signal.codeName ?? signal.code?.description { words += ", \(code)" }
    if let address = report.faultAddress { words += " at \(address)" }
    if let pid = signal.pid { words += ", sent by process \(pid)" }
    if let uid = signal.uid { words += " of user \(uid)" }
    return words
  }

  /// How long the process had run.
  var uptime: String? { report.process?.uptime.flatMap { $0.isFinite ? Formatting.duration($0) : nil } }
}

extension CrashReport {
  /// The program, the event and the cause on one line: `api 2.1 died of SIGSEGV in thread 7: …`.
  package var headline: String {
    let section = HeadlineSection(report: self)
    return "\(section.subject) \(section.headline)"
  }

  /// The context of the subject. It is left out if it only repeats the name of the test.
  var contextWords: String? {
    subjectContext.flatMap { test != nil && $0.isOfTest ? nil : $0.words }
  }

  /// Why it happened: the cause, or the program's own message.
  package var reason: String? { Reason.text(of: self) }
}

extension CrashReport.Thread {
  /// Id and name; in logs without ids the thread's place in the list.
  func label(at index: Int) -> String {
    let number = id?.description ?? "#\(index)"
    return name.map { $0.isEmpty ? number : "\(number) \"\($0)\"" } ?? number
  }
}

extension CrashReport.Context {
  /// `GET /orders/42 request.id=7 trace=0af7651916cd43dd8448eb211c80319c span=b7ad6b7169203331`.
  var words: String {
    let pairs = (attributes?.members ?? []).prefix(32).map { "\($0.key)=\(Formatting.text(of: $0.value))" }
    let ids = [trace?.traceId.map { "trace=\($0)" }, trace?.spanId.map { "span=\($0)" }].compactMap { $0 }
    let omitted = omittedAttributes.map { ["(\(counted($0, "more key")))"] } ?? []
    return ([name ?? "a context"] + pairs + omitted + ids).joined(separator: " ").harmless(upTo: 1500)
  }

  /// ` [GET /orders/42 request.id=7]`, after what is in the context.
  var suffix: String { " [\(words)]" }
}

extension CrashReport.Task {
  /// The task's number, with its name if it has one.
  var label: String? {
    id.map { id in "task \(id)" + (name.map { " \"\($0)\"" } ?? "") }
  }
}
