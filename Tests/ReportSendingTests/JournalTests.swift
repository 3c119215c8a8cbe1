import CrashReportModel
import Testing

@testable import ReportSending

@Suite struct JournalTests {
  private let now = Timestamp(microsecondsSince1970: 1_795_773_600_000_000)

  private var crash: CrashReport {
    var report = CrashReport()
    report.kind = .crashReport
    report.timestamp = now
    report.signal = CrashReport.Signal()
    report.signal?.number = 11
    report.signal?.name = "SIGSEGV"
    report.process = CrashReport.Process()
    report.process?.pid = 42
    report.process?.name = "api"
    return report
  }

  private func fields(_ report: CrashReport) -> [String: String] {
    let record = JournalRecord(report, EventID(of: [1]), owner: FileOwner(user: 7, group: 8))
    return Dictionary(uniqueKeysWithValues: record.fields.map { ($0.name, $0.value) })
  }

  @Test func aCrashIsWhatCoredumpctlLooksFor() {
    let fields = fields(crash)
    #expect(fields["MESSAGE_ID"] == "fc2e22bc6ee647b6b90729ab34a250b1")
    #expect(fields["COREDUMP_PID"] == "42" && fields["COREDUMP_UID"] == "7" && fields["COREDUMP_GID"] == "8")
    #expect(fields["COREDUMP_SIGNAL"] == "11" && fields["COREDUMP_SIGNAL_NAME"] == "SIGSEGV")
    #expect(fields["COREDUMP_TIMESTAMP"] == "1795773600000000" && fields["PRIORITY"] == "2")
  }

  /// `coredumpctl` lists crashes, and ends itself at a record that lacks a number.
  @Test func incompleteCrashesAreNotListed() {
    var hang = crash
    hang.kind = .hang
    var unknown = crash
    unknown.process = nil
    var unsignalled = crash
    unsignalled.signal?.number = nil
    for report in [hang, unknown, unsignalled, CrashReport()] {
      #expect(!fields(report).keys.contains { $0.hasPrefix("COREDUMP_") || $0 == "MESSAGE_ID" })
    }
    #expect(fields(hang)["PRIORITY"] == "3")
  }

  @Test func attributesGetNamesThatTheJournalAccepts() {
    var report = crash
    report.context = CrashReport.Context()
    report.context?.name = "GET /orders"
    let long = String(repeating: "é", count: 100)
    report.context?.attributes = JSONObject(members: [
      .init(key: "request.id", value: .string("4711")), .init(key: "", value: .string("none")),
      .init(key: "request_id", value: .string("taken")), .init(key: long, value: .string("a\u{1B}[2J\nB=c\u{FFFF}")),
      .init(key: "list", value: .array([])),
    ])
    let fields = fields(report)
    #expect(fields["CRASHKIT_CONTEXT"] == "GET /orders" && fields["CRASHKIT_CONTEXT_REQUEST_ID"] == "4711")
    #expect(fields["MESSAGE"]?.contains("\ncontext: GET /orders\nrequest.id: 4711\n") == true)
    #expect(fields.keys.allSatisfy { $0.utf8.count <= 64 && $0.wholeMatch(of: /[A-Z][A-Z0-9_]*/) != nil })
    let name = "CRASHKIT_CONTEXT_" + String(repeating: "_", count: 47)
    #expect(fields[name] == "a [2J B=c\u{FFFD}", "\(fields)")
    #expect(fields.count { $0.key.hasPrefix("CRASHKIT_CONTEXT_") } == 2)
  }

  @Test func manyAttributesAreBounded() {
    var report = crash
    report.attributes = JSONObject(
      members: (0..<1_000).map { .init(key: "k\($0)", value: .string(String(repeating: "x", count: 20_000))) })
    let fields = fields(report)
    #expect(fields.count <= 129 && fields["MESSAGE"] != nil)
    #expect(fields.values.allSatisfy { $0.utf8.count < 9_000 })
  }

  @Test func theDestinationRefusesAnAddress() throws {
    let settings = DestinationSettings()
    #expect(try Destinations.named("journal", settings) is JournalDestination)
    for place in ["journal:/run/socket", "journal:http://h", "journal:env:HOME"] {
      let settings = DestinationSettings(variable: { _ in "x" })
      #expect(throws: DestinationError.self) { try Destinations.named(place, settings) }
    }
    var headers = settings
    headers.headers = [.init("a", "b")]
    #expect(throws: DestinationError.self) { try Destinations.named("journal", headers) }
  }
}
