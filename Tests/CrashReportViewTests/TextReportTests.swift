import CrashReportModel
import CrashReportReading
import Foundation
import Testing

@testable import CrashReportView

@Suite final class TextReportTests {
  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path() + "/"

  /// A folder with the report's source file, last changed before the crash as no checkout would have it.
  private let sources = FileManager.default.temporaryDirectory.appending(path: "sources-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let source = sources.appending(path: "Routes.swift")
    try FileManager.default.copyItem(at: URL(filePath: Self.fixtures + "Routes.swift"), to: source)
    try change(source, at: 1_700_000_000)
  }

  deinit { try? FileManager.default.removeItem(at: sources) }

  private func change(_ file: URL, at seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path())
  }

  private func full() throws -> CrashReport {
    let text = try String(contentsOfFile: Self.fixtures + "full.json", encoding: .utf8)
    let bytes = Array(text.replacing("@FIXTURES@", with: sources.path()).utf8)
    return try #require(try ReportReader.read(bytes).first)
  }

  private func text(_ report: CrashReport, color: Bool = false) -> String {
    var locations = VerifiedLocations()
    locations.insert(file: sources.appending(path: "Routes.swift").path(), line: 4)
    let folders = SourceFolders(workingDirectory: .at(sources.path()))
    return TextReport(options: .init(usesColor: color, sources: folders)).text(
      of: VerifiedReport(report: report, locations: locations))
  }

  /// What a report, a log or another symbolicator says of places is no reason to open a file.
  @Test func sourceLinesAreShownOnlyForVerifiedLocations() throws {
    let folders = SourceFolders(workingDirectory: .at(sources.path()))
    let text = TextReport(options: .init(sources: folders)).text(of: try full())
    #expect(text.contains("Routes.swift:4:10"))
    #expect(!text.contains(" | "))
  }

  /// Threads of this package's own are none of the user's concern.
  @Test func onlyTheProgramsThreadsLackAStack() throws {
    var report = try full()
    report.capture?.unprotected = [4711, 4714]
    #expect(
      text(report).contains(
        "a stack overflow in these threads would leave no report, because they have no alternate stack: 4711, 4714"))
    report.threads?[2].belongsTo = "ThreadGuard"
    #expect(text(report).contains("because they have no alternate stack: 4711\n"))
    report.threads?[1].belongsTo = "CrashKit"
    #expect(!text(report).contains("have no alternate stack"))
  }

  /// To keep a new text on purpose, run with `KEEP_GOLDEN=1` and read the difference.
  private func compare(_ text: String, with name: String) throws {
    let path = Self.fixtures + name
    if ProcessInfo.processInfo.environment["KEEP_GOLDEN"] != nil {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    for (number, (line, wanted)) in zip(text.split(separator: "\n"), kept.split(separator: "\n")).enumerated() {
      #expect(line == wanted, "line \(number + 1), blank lines not counted")
    }
    #expect(text == kept)
  }

  @Test func fullReportReadsAsKept() throws {
    try compare(text(try full()), with: "full.txt")
  }

  @Test func colouredReportReadsAsKept() throws {
    try compare(text(try full(), color: true), with: "full-coloured.txt")
  }

  @Test func withoutColoursTheTextIsTheSame() throws {
    let coloured = text(try full(), color: true)
    #expect(coloured.contains("\u{1B}["))
    #expect(coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "") == text(try full()))
  }

  @Test func swiftLogReadsAsKept() throws {
    let log = Self.fixtures + "../../CrashReportReadingTests/Fixtures/swift-runtime.log"
    let report = try #require(try ReportReader.read(log).first)
    try compare(text(report), with: "swift-runtime.txt")
  }

  @Test func timesOfBreadcrumbsAreRelativeToTheCrash() throws {
    let text = text(try full())
    #expect(text.contains("\n  -5.997s  info     lifecycle  DidEnterBackground\n"))
    #expect(text.contains("\n  -1.204s  warning  cpu        load is nan  samples=2  queue=timer\n"))
  }

  /// A report whose thread 1 crashed in task 7, after breadcrumbs of two tasks and of a thread.
  private static func taskReport(crashed: Bool = true) throws -> CrashReport {
    let breadcrumbs = [(7, "mine"), (8, "another's"), (nil, "a thread's"), (7, "mine too")].map { task, message in
      #"{"level":"info","message":"\#(message)"\#(task.map { #","task":\#($0)"# } ?? "")}"#
    }
    let threads = #"[{"id":2},{"id":1,\#(crashed ? #""crashed":true,"# : "")"task":{"id":7}}]"#
    let json = #"{"schema":"crashkit/1","threads":\#(threads),"breadcrumbs":[\#(breadcrumbs.joined(separator: ","))]}"#
    return try #require(try ReportReader.read(Array(json.utf8)).first)
  }

  private func breadcrumbLines(_ report: CrashReport, alone: Bool = false) -> [String] {
    let text = TextReport(options: .init(showsTaskAlone: alone)).text(of: VerifiedReport(report: report))
    return text.split(separator: "\n").drop { !$0.hasPrefix("Breadcrumbs") }.map(String.init)
  }

  @Test func breadcrumbsOfTheCrashedTaskAreMarked() throws {
    let report = try Self.taskReport()
    let mine = ["> ?  info    mine", "> ?  info    mine too"]
    let mark = "  > marks those of task 7"
    let others = ["  ?  info    another's", "  ?  info    a thread's"]
    #expect(breadcrumbLines(report) == ["Breadcrumbs", mark, mine[0]] + others + [mine[1]])
    let left = "  not shown: 2 breadcrumbs of other tasks and threads"
    #expect(breadcrumbLines(report, alone: true) == ["Breadcrumbs", left, mark] + mine)
  }

  @Test func withoutACrashedTaskNoBreadcrumbIsMarked() throws {
    let report = try Self.taskReport(crashed: false)
    #expect(!breadcrumbLines(report).contains { $0.contains(">") } && breadcrumbLines(report).count == 5)
    let left = "  not shown: 4 breadcrumbs, because the report's Swift task is not known"
    #expect(breadcrumbLines(report, alone: true) == ["Breadcrumbs", left])
  }

  @Test func hungTasksBreadcrumbsAreMarked() throws {
    var report = try Self.taskReport(crashed: false)
    report.hang = CrashReport.Hang()
    report.hang?.thread = 1
    #expect(breadcrumbLines(report).filter { $0.hasPrefix(">") }.count == 2)
  }

  @Test(arguments: ["html", "markdown", "junit"]) func markdownAndHTMLMarkBreadcrumbsToo(_ format: String) throws {
    let renderer = try #require(Renderer<VerifiedReport>(named: format))
    let report = VerifiedReport(report: try Self.taskReport())
    let all = try #require(renderer.text(of: report, ReportContext(options: .init(), version: "1")))
    #expect(all.contains("marks those of task 7") && all.contains("a thread"))
    let options = TextReport.Options(showsTaskAlone: true)
    let alone = try #require(renderer.text(of: report, ReportContext(options: options, version: "1")))
    #expect(alone.contains("mine too") && !alone.contains("a thread"))
  }

  @Test(arguments: ["text", "html", "markdown", "junit"]) func theRequestIsNamed(_ format: String) throws {
    let renderer = try #require(Renderer<VerifiedReport>(named: format))
    let text = renderer.text(of: VerifiedReport(report: try full()), ReportContext(options: .init(), version: "1"))
    let words = "GET /orders/42 request.id=r-42 trace=0af7651916cd43dd8448eb211c80319c span=b7ad6b7169203331"
    #expect(try #require(text).contains(words))
  }

  @Test func aSourceFileThatChangedIsNamed() throws {
    let report = try full()
    #expect(!text(report).contains("changed after the crash"))
    try change(sources.appending(path: "Routes.swift"), at: 4_000_000_000)
    #expect(text(report).contains("(the file was changed after the crash)"))
  }

  /// Every string of the report, keys included, is replaced by one that a terminal would obey.
  @Test func nothingInAReportReachesTheTerminal() throws {
    let hostile = "\u{1B}[31m\u{1B}]0;x\u{7}\r\n\u{9B}2J\u{202E}\u{2066}\u{200B}\u{7F}\u{0}\u{2028}"
    let report = CrashReport(fields: try full().fields.with(hostile))
    let hazards = text(report).unicodeScalars.filter { scalar in
      let category = scalar.properties.generalCategory
      return scalar != "\n" && [.control, .format, .lineSeparator, .paragraphSeparator].contains(category)
    }
    #expect(Set(hazards) == [])
  }

  @Test(arguments: [
    ("the program stopped itself", "main/a.swift:3: Fatal error: Index out of range", "Index out of range"),
    ("the program stopped itself", "main/a.swift:3: Fatal error: first\nsecond", "first"),
    ("the program stopped itself", "main/a.swift:3: Fatal error", "Fatal error"),
    ("the program stopped itself", "main/a.swift:3: Precondition failed: it holds", "Precondition failed: it holds"),
    ("abort() called", "free(): double free detected in tcache 2", "free(): double free detected in tcache 2"),
    (
      "abort() called", "Could not cast value of type 'A' (0x1) to 'B' (0x2).",
      "Could not cast value of type 'A' (0x1) to 'B' (0x2)."
    ),
    (
      "uncaught C++ exception",
      "terminate called after throwing an instance of 'std::runtime_error'\n  what():  the configuration is empty",
      "uncaught C++ exception std::runtime_error: the configuration is empty"
    ),
    ("uncaught C++ exception", "terminate called after throwing an instance of 'int'", "uncaught C++ exception int"),
    (
      "Rust panic", "thread 'main' (7) panicked at src/main.rs:3:5:\nno 'order'\nat all", "Rust panic: no 'order'"
    ),
    ("Rust panic", "thread 'main' panicked at 'no 'order', none', src/main.rs:3:5", "Rust panic: no 'order', none"),
    ("Rust panic", "thread 'main' panicked at ", "Rust panic"),
    ("arithmetic overflow", "main/a.swift:3: Fatal error: something else", "arithmetic overflow"),
    ("null pointer dereference (read at 0x0)", "warning: odd", "null pointer dereference (read at 0x0)"),
    ("sent by process 7 (user 0)", "assertion", "sent by process 7 (user 0)"),
  ])
  func theHeadlineSaysWhatTheProgramSaid(_ cause: String, _ message: String, _ reason: String) {
    var report = CrashReport()
    report.cause = cause
    report.message = message
    #expect(text(report).hasPrefix("The program crashed: \(reason)\n"))
  }

  /// As a log of the Swift runtime's has it: no cause, and every failed check is an illegal instruction.
  @Test(arguments: [("SIGILL", "Index out of range"), ("SIGTRAP", "Index out of range"), ("SIGSEGV", "Bad pointer")])
  func theHeadlineOfARuntimesLogSaysWhichCheckFailed(_ signal: String, _ reason: String) {
    var report = CrashReport()
    report.signal = CrashReport.Signal(fields: JSONObject(members: []))
    report.signal?.name = signal
    report.description = signal == "SIGSEGV" ? "Bad pointer" : "Illegal instruction"
    report.message = "Fatal error: Index out of range"
    #expect(text(report).hasPrefix("The program died of \(signal): \(reason)\n"))
    report.message = "warning: odd"
    #expect(text(report).hasPrefix("The program died of \(signal): \(report.description!)\n"))
  }

  /// The Swift runtime says so of every wait for a Mutex that would never end; a cause of CrashKit's says which it is.
  @Test func aMutexThatIsWaitedForForEverIsNotCalledRecursion() {
    var report = CrashReport()
    report.message = "Synchronization/LinuxImpl.swift:157: Fatal error: Recursive call to lock Mutex"
    let neutral = "a Mutex: it holds it itself, or a thread that waits for this one does"
    for cause in [nil, "the program stopped itself"] {
      report.cause = cause
      #expect(text(report).hasPrefix("The program crashed: this thread would wait for ever for \(neutral)\n"))
    }
    report.cause = "this thread locks a Mutex that it holds already"
    #expect(text(report).hasPrefix("The program crashed: this thread locks a Mutex that it holds already\n"))
  }

  /// Idle threads do not hide those that do something.
  @Test func threadsInADeadlockAndInOwnCodeComeFirst() throws {
    func thread(_ id: Int, _ name: String, isSystem: Bool = false) -> String {
      #"{"id":\#(id),"frames":[{"kind":"returnAddress","address":"0x1000","description":"\#(name)","image":"api","#
        + #""system":\#(isSystem)}]}"#
    }
    let threads = [
      thread(1, "epoll_wait", isSystem: true), thread(2, "work()"), thread(3, "lock", isSystem: true),
      thread(4, "more()"),
    ]
    let text = #"""
      {"schema":"crashkit/1","kind":"capture","threads":[\#(threads.joined(separator: ","))],
      "deadlock":{"steps":[{"thread":3,"address":"0x2000","type":"mutex","owner":3}]}}
      """#
    let report = CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
    let headings = TextReport().text(of: report).split(separator: "\n").filter { $0.hasPrefix("Thread ") }
    #expect(headings == ["Thread 3", "Thread 2", "Thread 4", "Thread 1"])
  }

  @Test func aLongCircleIsCut() throws {
    let threads = (1...100).map { #"{"id":\#($0),"frames":[]}"# }.joined(separator: ",")
    let steps = (1...100).map { #"{"thread":\#($0),"address":"0x20","type":"mutex","owner":\#($0 % 100 + 1)}"# }
    let text = #"{"kind":"capture","threads":[\#(threads)],"deadlock":{"steps":[\#(steps.joined(separator: ","))]}}"#
    let report = CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
    let lines = TextReport().text(of: report).split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "Deadlock: 100 threads wait for each other"))
    #expect(lines[start + 40].hasPrefix("   thread 40 waits for the mutex at "))
    #expect(lines[start + 41] == "   ... and 60 more; the report has all")
  }

  @Test func threadsOfOurOwnComeAfterTheProgramsAndAreMarked() {
    var report = CrashReport()
    report.threads = [
      ("main", nil), ("crashkit.hang", "CrashKit"), ("worker", nil), ("ThreadGuard", "ThreadGuard"), ("pool", nil),
    ].enumerated().map { index, thread in
      var entry = CrashReport.Thread()
      entry.id = 100 + index
      entry.name = thread.0
      entry.belongsTo = thread.1
      entry.state = "sleeping"
      return entry
    }
    report.threads?[0].crashed = true
    let headings = text(report).split(separator: "\n").filter { $0.contains("10") && !$0.contains("crashed") }
    #expect(
      headings == [
        #"2 threads with this stack, sleeping: 102 "worker", 104 "pool""#,
        #"Thread 101 "crashkit.hang", CrashKit's own, sleeping"#,
        #"Thread 103 "ThreadGuard", ThreadGuard's own, sleeping"#,
      ])
  }

  @Test func threadsSayWhichTaskTheyRun() {
    func task(_ id: Int, _ name: String? = nil) -> CrashReport.Task {
      var task = CrashReport.Task()
      task.id = id
      task.name = name
      return task
    }
    var threads = (0..<4).map { index in
      var thread = CrashReport.Thread()
      thread.id = 100 + index
      return thread
    }
    threads[0].crashed = true
    threads[0].task = task(17, "fetch \u{1b}[31m")
    threads[0].task?.parent = task(3)
    threads[1].state = "sleeping"
    threads[1].task = task(4)
    threads[2].task = task(5, "save")
    var report = CrashReport()
    report.threads = threads
    let lines = text(report).split(separator: "\n").map(String.init)
    #expect(lines.contains(#"Thread 100 crashed in task 17 "fetch \u{1B}[31m" of task 3, of 4 threads"#), "\(lines)")
    #expect(lines.contains("Thread 101, sleeping, in task 4"), "\(lines)")
    #expect(lines.contains(#"2 threads with this stack: 102 (task 5 "save"), 103"#), "\(lines)")
  }

  @Test func otherCrashedThreadsHaveTheirSignal() {
    var threads = (0..<3).map { index in
      var thread = CrashReport.Thread()
      thread.id = 100 + index
      thread.state = "crashing"
      var signal = CrashReport.Signal()
      signal.name = index < 2 ? "SIGSEGV" : "SIGABRT"
      thread.signal = signal
      if index < 2 { thread.faultAddress = Address(16) }
      return thread
    }
    threads[0].state = "running"
    threads[0].crashed = true
    var report = CrashReport()
    report.threads = threads
    let lines = text(report).split(separator: "\n").map(String.init)
    #expect(lines.contains("Thread 101, crashing (SIGSEGV at 0x0000000000000010)"), "\(lines)")
    #expect(lines.contains("Thread 102, crashing (SIGABRT)"), "\(lines)")
  }

  @Test func columnsAreAlignedWhereKeysHaveEscapes() {
    var report = CrashReport()
    report.attributes = JSONObject(
      members: ["a\u{1B}b", "tenant"].map { .init(key: $0, value: .string("VALUE")) })
    let columns = text(report).split(separator: "\n").compactMap { line in
      line.firstRange(of: "VALUE").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
    }
    #expect(columns.count == 2)
    #expect(Set(columns).count == 1)
  }

  @Test func anEmptyReportDoesNotTrap() {
    #expect(text(CrashReport()) == "The program crashed\n")
  }
}

extension JSONObject {
  /// The object with a text before each of its strings; what is looked at for its meaning is left.
  fileprivate func with(_ hostile: String) -> JSONObject {
    let meaning: Set = ["kind", "address", "baseAddress", "endOfText", "timestamp", "time", "updatedAt", "file"]
    return JSONObject(
      members: members.map { member in
        meaning.contains(member.key) ? member : Member(key: member.key, value: member.value.with(hostile))
      })
  }
}

extension JSONValue {
  fileprivate func with(_ hostile: String) -> JSONValue {
    switch self {
    case .string(let text): .string(hostile + text)
    case .array(let elements): .array(elements.map { $0.with(hostile) })
    case .object(let object): .object(object.with(hostile))
    default: self
    }
  }
}
