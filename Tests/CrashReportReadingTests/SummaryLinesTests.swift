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

  @Test func framesAndTaskAreWhatTheSummarySays() throws {
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

  @Test func keepsSummariesOfSeveralProcessesApart() throws {
    let other = Self.summary.replacing("4711", with: "99").replacing("api died", with: "db died")
    let lines = zip(Self.summary.split(separator: "\n"), other.split(separator: "\n")).flatMap { [$0, $1] }
    let reports = try read(lines.joined(separator: "\n"))
    #expect(reports.map(\.process?.name) == ["api", "db"])
    #expect(reports.map { $0.threads?.first?.frames?.count } == [2, 2])
  }

  @Test func aSummaryBesideItsReportIsNotToldAgain() throws {
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
}
