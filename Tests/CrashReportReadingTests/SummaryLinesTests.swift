import CrashReportModel
import CrashReportReading
import Testing

@Suite struct SummaryLinesTests {
  private static let summary = """
    CrashKit[4711]: api died: null pointer dereference (SIGSEGV, SEGV_MAPERR at 0x0000000000000000)
    CrashKit[4711]: message: Fatal error: Index out of range
    CrashKit[4711]: thread 4713 "worker", 12 threads in all
    CrashKit[4711]:   0 api+0x1f2a0
    CrashKit[4711]:   1 libswiftCore.so+0x9f3
    CrashKit[4711]: image api 5f3cab /srv/app/api
    CrashKit[4711]: image libswiftCore.so - /usr/lib/swift/linux/libswiftCore.so
    CrashKit[4711]: report: /var/lib/api/20261121T082435.997Z-4711-crashReport.json
    CrashKit[4711]: read it with: crashsym /var/lib/api/20261121T082435.997Z-4711-crashReport.json
    """

  private func read(_ text: String) throws -> [CrashReport] { try ReportReader.read(Array(text.utf8)) }

  @Test func readsASummary() throws {
    let log = Self.summary.split(separator: "\n").map { "08:24 api[1]: \($0)\nother line" }.joined(separator: "\n")
    let reports = try read(log)
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    #expect(report.cause == "null pointer dereference")
    #expect(report.signal?.name == "SIGSEGV")
    #expect(report.signal?.codeName == "SEGV_MAPERR")
    #expect(report.faultAddress == Address(0))
    #expect(report.message == "Fatal error: Index out of range")
    #expect(report.process?.pid == 4711)
    let thread = try #require(report.threads?.first)
    #expect(thread.id == 4713)
    #expect(thread.name == "worker")
    #expect(thread.frames?.map(\.kind) == [.programCounter, .returnAddress])
    #expect(thread.frames?.map(\.image) == ["api", "libswiftCore.so"])
    #expect(thread.frames?.first?.address == Address(0x1f2a0))
    #expect(report.images?.map(\.buildID) == ["5f3cab", nil])
    #expect(report.images?.last?.path == "/usr/lib/swift/linux/libswiftCore.so")
    #expect(
      report.capture?.cutShort?.first?.reason?
        .hasSuffix("the whole report is /var/lib/api/20261121T082435.997Z-4711-crashReport.json") == true)
  }

  @Test func framesAndTaskComeFromTheSummary() throws {
    let report = try #require(
      try read(
        """
        CrashKit[1]: api died: trap: a check in the program failed (SIGILL)
        CrashKit[1]: thread 2 "pool", 3 threads in all
        CrashKit[1]: task 17 "fetch "the" profile"
        CrashKit[1]:   0 api+0x10
        CrashKit[1]:   1 api+0x20 async
        CrashKit[1]:   2 api+0x30 interrupted
        CrashKit[1]:   3 api+0x40
        """
      ).first)
    let thread = try #require(report.threads?.first)
    #expect(thread.task?.id == 17)
    #expect(thread.task?.name == #"fetch "the" profile"#)
    #expect(thread.frames?.map(\.kind) == [.programCounter, .asyncResumePoint, .programCounter, .returnAddress])
    #expect(thread.frames?.map(\.address) == [Address(0x10), Address(0x20), Address(0x30), Address(0x40)])
  }

  /// A jump to nowhere: the caller did not crash.
  @Test func anAddressWithoutAnImageIsAFrame() throws {
    let report = try #require(
      try read(
        """
        CrashKit[1]: api died: jump to an unmapped address (SIGSEGV, SEGV_MAPERR at 0x0000000000000000)
        CrashKit[1]: thread 2 "pool", 3 threads in all
        CrashKit[1]:   0 0x0000000000000000
        CrashKit[1]:   1 api+0x20
        CrashKit[1]:   2 0x0000414141414140 interrupted
        """
      ).first)
    let frames = report.threads?.first?.frames
    #expect(frames?.map(\.kind) == [.programCounter, .returnAddress, .programCounter])
    #expect(frames?.map(\.image) == [nil, "api", nil])
    #expect(frames?.map(\.address) == [Address(0), Address(0x20), Address(0x4141_4141_4140)])
  }

  @Test func keepsSummariesOfSeveralProcessesApart() throws {
    let other = Self.summary.replacing("4711", with: "99").replacing("api died", with: "db died")
    let lines = zip(Self.summary.split(separator: "\n"), other.split(separator: "\n")).flatMap { [$0, $1] }
    let reports = try read(lines.joined(separator: "\n"))
    #expect(reports.map(\.process?.name) == ["api", "db"])
    #expect(reports.map { $0.threads?.first?.frames?.count } == [2, 2])
  }

  @Test func aSummaryBesideItsReportIsNotShownTwice() throws {
    let report = #"{"schema":"crashkit/1","cause":"whole","process":{"pid":4711}}"#
    let reports = try read(Self.summary + "\n" + report)
    #expect(reports.map(\.cause) == ["whole"])
  }

  @Test func causesMayHoldBrackets() throws {
    let reports = try read("CrashKit[1]: a b died: abort() called (SIGABRT, SI_TKILL)")
    #expect(reports.first?.cause == "abort() called")
    #expect(reports.first?.process?.name == "a b")
    #expect(reports.first?.signal?.name == "SIGABRT")
  }

  @Test func imagesMayHoldBlanks() throws {
    let reports = try read(
      """
      CrashKit[1]: my  app died: abort() called (SIGABRT, SI_TKILL)
      CrashKit[1]: thread 1 "my  app", 1 threads in all
      CrashKit[1]:   0 my  app+0x10
      CrashKit[1]: image my  app 5f3c0000 /srv/my  app/my  app
      CrashKit[1]: image odd - [vdso]
      """)
    let images = try #require(reports.first?.images)
    #expect(images.map(\.name) == ["my  app", "odd"])
    #expect(images.map(\.buildID) == ["5f3c0000", nil])
    #expect(images.map(\.path) == ["/srv/my  app/my  app", "[vdso]"])
    #expect(reports.first?.threads?.first?.frames?.map(\.image) == ["my  app"])
  }

  private static let capture = """
    CrashKit[4711]: api goes on after SIGQUIT: 3 threads, 4 Swift tasks
    CrashKit[4711]: thread 4711 "api "x", y", sleeping
    CrashKit[4711]:   0 libc.so.6+0x10
    CrashKit[4711]:   1 api+0x20
    CrashKit[4711]:   ... 7 more
    CrashKit[4711]: thread 4712 "pool", running, task 11
    CrashKit[4711]:   0 api+0x30
    CrashKit[4711]: thread 4713, disk sleep, no stack: all signals blocked
    CrashKit[4711]: task 11 "running", running, thread 4712
    CrashKit[4711]: task 12 "a, cancelled", suspended, awaits asyncLet 13, child of 11
    CrashKit[4711]:   0 api+0x40 async
    CrashKit[4711]: task 13, enqueued, awaits actor 0x0000000000001000, cancelled
    CrashKit[4711]:   0 api+0x50 async
    CrashKit[4711]: task 14, suspended, awaits continuation, frames of 12
    CrashKit[4711]: tasks left out: 2
    CrashKit[4711]: image api 5f3cab /srv/app/api
    CrashKit[4711]: report: /var/lib/api/20261121T082435.997Z-4711-capture.json
    """

  @Test func readsTheThreadsOfARunningProgram() throws {
    let reports = try read(Self.capture)
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    #expect(report.kind == .capture && report.description == "asked for by SIGQUIT" && report.signal == nil)
    #expect(report.process?.pid == 4711 && report.process?.name == "api")
    let threads = try #require(report.threads)
    #expect(threads.map(\.id) == [4711, 4712, 4713])
    #expect(threads.map(\.name) == [#"api "x", y"#, "pool", nil])
    #expect(threads.map(\.state) == ["sleeping", "running", "disk sleep"])
    #expect(threads.map(\.task?.id) == [nil, 11, nil])
    #expect(threads.map(\.stackEnd) == [nil, nil, "all signals blocked"])
    #expect(threads[0].frames?.map(\.kind) == [.programCounter, .returnAddress, .omittedFrames])
    #expect(threads[0].frames?.last?.count == 7)
    #expect(threads[1].frames?.count == 1 && threads[2].frames == nil)
    let tasks = try #require(report.tasks)
    #expect(tasks.map(\.id) == [11, 12, 13, 14])
    #expect(tasks.map(\.name) == ["running", "a, cancelled", nil, nil])
    #expect(tasks.map(\.state) == [.running, .suspended, .enqueued, .suspended])
    #expect(tasks.map(\.awaits?.kind) == [nil, .asyncLet, .actor, .continuation])
    #expect(tasks[1].awaits?.id == 13 && tasks[2].awaits?.address == Address(0x1000))
    #expect(tasks.map(\.isCancelled) == [nil, nil, true, nil])
    #expect(tasks.map(\.parent) == [nil, 11, nil, nil] && tasks[0].thread == 4712)
    #expect(tasks.map { $0.frames?.count } == [nil, 1, 1, nil] && tasks[3].framesOf == 12)
    #expect(report.omittedTasks == 2)
    #expect(report.images?.first?.buildID == "5f3cab")
    let reason = try #require(report.capture?.cutShort?.first?.reason)
    #expect(reason.hasSuffix("the whole report is /var/lib/api/20261121T082435.997Z-4711-capture.json"))
  }

  @Test func aLogThatEndsTooEarlySaysWhatIsMissing() throws {
    let lines = Self.capture.split(separator: "\n").prefix(10)
    let report = try #require(try read(lines.joined(separator: "\n")).first)
    #expect(report.capture?.cutShort?.first?.reason?.hasSuffix("2 of 4 Swift tasks are there") == true)
    #expect(report.capture?.cutShort?.first?.reason?.contains("threads are there") == false)
  }

  /// A program that printed its threads may die afterwards; both are kept, and so are two such moments.
  @Test func outputOfAProgramIsNotTakenForItsDeath() throws {
    let died = #"{"schema":"crashkit/1","kind":"crashReport","cause":"whole","process":{"pid":4711}}"#
    #expect(try read(Self.capture + "\n" + died).map(\.kind) == [.capture, .crashReport])
    #expect(try read(Self.capture + "\n" + Self.summary).map(\.kind) == [.capture, .crashReport])
    #expect(try read(Self.capture + "\n" + Self.capture).count == 2)
    let captured = #"{"schema":"crashkit/1","kind":"capture","description":"whole","process":{"pid":4711}}"#
    #expect(try read(captured + "\n" + Self.capture).map(\.description) == ["whole"])
  }

  @Test func hostileLinesOfARunningProgramAreHarmless() throws {
    let numbers = "99999999999999999999999"
    let report = try read(
      """
      CrashKit[1]: a died b goes on after : -5 threads, \(numbers) Swift tasks
      CrashKit[1]:   0 api+0x10
      CrashKit[1]:   ... \(numbers) more
      CrashKit[1]: thread \(numbers) "x
      CrashKit[1]: thread
      CrashKit[1]: thread 5 ", ,,, task \(numbers)
      CrashKit[1]: task \(numbers), suspended
      CrashKit[1]: task 3, awaits , awaits x y z, child of x
      CrashKit[1]: tasks left out: -9223372036854775808
      CrashKit[1]: image
      """
    ).first
    #expect(report?.kind == .capture)
    #expect(report?.tasks?.map(\.id) == [3])
  }
}
