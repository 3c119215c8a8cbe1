import CrashReportModel
import Testing

@testable import CrashReportView

/// The test that crashed, in each format.
@Suite struct TestWordsTests {
  private static func test(_ name: String, _ arguments: String? = nil) -> CrashReport.Test {
    var test = CrashReport.Test()
    test.framework = .swiftTesting
    test.module = "shop"
    test.suite = "Orders"
    test.name = name
    test.arguments = arguments
    test.foundBy = .stack
    return test
  }

  private static func report(others: Int = 1) -> CrashReport {
    var report = CrashReport()
    report.kind = .crashReport
    report.cause = "it fell"
    report.test = test("total(of:)", "3")
    if others > 0 { report.otherTests = (1...others).map { test("list\($0)()") } }
    return report
  }

  private func context() -> ReportContext { ReportContext(options: .init(showsSource: false), version: "1") }

  @Test(arguments: ["text", "markdown", "html", "github", "sarif", "junit", "json"])
  func eachFormatNamesTheTest(_ format: String) throws {
    let renderer = try #require(Renderer<VerifiedReport>(named: format))
    let text = try #require(renderer.text(of: VerifiedReport(report: Self.report()), context()))
    #expect(text.contains(format == "json" ? "\"suite\":\"Orders\"" : "Orders/total(3)"), "\(text)")
    #expect(text.contains(format == "json" ? "list1()" : "Orders/list1()"), "\(text)")
  }

  /// Swift Testing judges its end, so no tool is to count it.
  @Test(arguments: ["text", "markdown", "html", "github", "sarif", "junit"])
  func anExitTestIsNotAnError(_ format: String) throws {
    var report = Self.report(others: 0)
    report.test = nil
    let renderer = try #require(Renderer<VerifiedReport>(named: format))
    let mark = ["github": "::error ", "sarif": "\"level\":\"error\"", "junit": "<error "][format]
    let before = try #require(renderer.text(of: VerifiedReport(report: report), context()))
    #expect(!before.contains("exit test") && mark.map(before.contains) != false, "\(before)")
    report.ending = CrashReport.Ending(fields: JSONObject())
    report.ending?.isExitTest = true
    let text = try #require(renderer.text(of: VerifiedReport(report: report), context()))
    #expect(mark.map(text.contains) != true, "\(text)")
    #expect(text.contains("an exit test; Swift Testing checks how the process ends") == (format != "junit"), "\(text)")
  }

  /// What the program was doing, and where guarded memory came from, belong to what a tool shows beside the code.
  @Test(arguments: ["github", "sarif"]) func contextAndStepsAreNamed(_ format: String) throws {
    var report = Self.report()
    var context = CrashReport.Context(fields: JSONObject())
    context.name = "GET /orders/42"
    report.context = context
    let guarded = #"{"allocated":{"thread":7,"frames":[{"symbol":"make"}]},"released":{"frames":[{"symbol":"drop"}]}}"#
    report.guarded = CrashReport.Guarded(fields: try JSONParser.parse(Array(guarded.utf8)).object)
    let renderer = try #require(Renderer<VerifiedReport>(named: format))
    let text = try #require(renderer.text(of: VerifiedReport(report: report), self.context()))
    for words in ["in GET /orders/42", "allocated here", "make", "released here", "drop"] {
      #expect(text.contains(words), "\(words): \(text)")
    }
  }

  /// A hang is its thread's, wherever that stands in the list.
  @Test(arguments: ["text", "github", "sarif", "markdown"]) func aHangHasItsContextAndLength(_ format: String) throws {
    let json = #"""
      {"kind":"hang","description":"main queue did not run","hang":{"thread":42,"duration":1.25,"recovered":true},
      "threads":[{"id":7,"frames":[{"symbol":"waits"}]},{"id":42,"context":{"name":"GET /report"},"frames":[{"symbol":"slow"}]}]}
      """#
    let report = CrashReport(fields: try JSONParser.parse(Array(json.utf8)).object)
    let renderer = try #require(Renderer<VerifiedReport>(named: format))
    let text = try #require(renderer.text(of: VerifiedReport(report: report), context()))
    for words in ["GET /report", "main queue did not run for 1.3 s, recovered", "slow"] {
      #expect(text.contains(words), "\(words): \(text)")
    }
    if format == "github" { #expect(text.contains("thread 42: was here: slow"), "\(text)") }
  }

  @Test func theTextHasTheTestUnderTheHeadline() {
    let lines = { (report: CrashReport) in TextReport().text(of: report).split(separator: "\n").map(String.init) }
    #expect(lines(Self.report())[1...2] == ["in test Orders/total(3)", "1 other test ran: Orders/list1()"])
    #expect(lines(Self.report(others: 10))[2].hasSuffix("Orders/list8() and 2 more"))
    #expect(lines(Self.report(others: 2))[2] == "2 other tests ran: Orders/list1() and Orders/list2()")
    var unknown = Self.report(others: 2)
    unknown.test = nil
    #expect(lines(unknown)[1] == "2 tests ran: Orders/list1() and Orders/list2()")
    #expect(!TextReport().text(of: CrashReport()).contains("test"))
  }

  /// As `swift test --xunit-output` names it, whatever its arguments.
  @Test func aCaseIsThatOfTheTest() {
    let text = JUnitFile.text(of: [VerifiedReport(report: Self.report())], options: .init(showsSource: false))
    #expect(text.contains("<testcase classname=\"shop.Orders\" name=\"total(of:)\""), "\(text)")
    #expect(text.contains(": it fell, in test Orders/total(3)\""), "\(text)")
  }

  /// The test's own context says the same; one in it says more.
  @Test func theTestsOwnContextIsNotRepeated() throws {
    var report = Self.report()
    var context = CrashReport.Context(
      fields: try JSONParser.parse(Array(#"{"attributes":{"test.name":"total(of:)"}}"#.utf8)).object)
    context.name = "test Orders/total(of:)"
    report.context = context
    #expect(!TextReport().text(of: report).contains("test.name="))
    report.context?.name = "GET /orders"
    #expect(TextReport().text(of: report).contains("in GET /orders test.name="))
    report.test = nil
    report.context?.name = "test Orders/total(of:)"
    #expect(TextReport().text(of: report).contains("in test Orders/total(of:) test.name="))
  }

  @Test func hostileNamesStayText() {
    var report = Self.report()
    report.test?.name = "\u{1B}]0;title\u{7}\n::error::" + String(repeating: "x", count: 10_000)
    for renderer in VerifiedReport.renderers {
      guard let text = renderer.text(of: VerifiedReport(report: report), context()) else { continue }
      #expect(!text.contains("\u{1B}") && !text.contains("\n::error::"), "\(renderer.name)")
    }
  }
}
