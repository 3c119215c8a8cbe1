import CrashReportModel
import Testing

@testable import ReportSending

@Suite struct DatadogTests {
  private let now = Timestamp(microsecondsSince1970: 1_795_773_600_000_000)

  private func destination(
    _ place: String, _ variables: [String: String] = [:], key: String? = nil
  ) throws -> DatadogDestination {
    try DatadogDestination(place, DestinationSettings(variable: { variables[$0] }, key: key))
  }

  private func payload(_ report: CrashReport, isSmall: Bool = false) throws -> (size: Int, object: JSONObject) {
    let request = try destination("http://h").request(
      for: SentEvent(id: EventID(of: [1]), .report(report)), now: now, isSmall: isSmall)
    return (request.body.count, try JSONParser.parse(request.body).object)
  }

  @Test(
    arguments: [
      ("http://h:8126", [:], nil, "http://h:8126/evp_proxy/v4/api/v2/errorsintake"),
      ("http://h/evp_proxy/v4/api/v2/errorsintake", [:], nil, "http://h/evp_proxy/v4/api/v2/errorsintake"),
      ("", [:], nil, "http://localhost:8126/evp_proxy/v4/api/v2/errorsintake"),
      ("", ["DD_AGENT_HOST": "a", "DD_API_KEY": "k"], nil, "http://a:8126/evp_proxy/v4/api/v2/errorsintake"),
      ("", ["DD_TRACE_AGENT_PORT": "1"], nil, "http://localhost:1/evp_proxy/v4/api/v2/errorsintake"),
      ("", ["DD_API_KEY": "k"], nil, "https://error-tracking-intake.datadoghq.com/api/v2/errorsintake"),
      (
        "", ["DD_SITE": "datadoghq.eu", "DD_AGENT_HOST": "a"], "k",
        "https://error-tracking-intake.datadoghq.eu/api/v2/errorsintake"
      ),
      ("https://error-tracking-intake.x", [:], "k", "https://error-tracking-intake.x/api/v2/errorsintake"),
      ("http://proxy/api/v2/errorsintake", [:], "k", "http://proxy/api/v2/errorsintake"),
    ] as [(String, [String: String], String?, String)])
  func thePlaceIsFound(_ place: String, _ variables: [String: String], _ key: String?, _ url: String) throws {
    #expect(try destination(place, variables, key: key).identity == url)
  }

  @Test(
    arguments: [
      ("h", nil), ("unix:///var/run/datadog/apm.socket", nil), ("https://error-tracking-intake.x", nil),
      ("http://agent", "k"), ("https://error-tracking-intake.x", "a\r\nb"),
    ] as [(String, String?)])
  func otherPlacesAndKeysAreRefused(_ place: String, _ key: String?) {
    #expect(throws: DestinationError.self) { try destination(place, key: key) }
  }

  /// Commas and colons of a program's texts add no tags.
  @Test func tagsCannotBeForged() {
    var tags = DatadogTags()
    tags.add("service", "a,env:prod")
    tags.add("ten,ant:x", "b\n,c")
    tags.add("SERVICE", "other")
    tags.add("empty", "")
    tags.add("", "nameless")
    #expect(tags.text == "service:a_env:prod,ten_ant_x:b__c")
  }

  @Test func aLargeReportIsCutToFit() throws {
    var frame = CrashReport.Frame()
    frame.description = String(repeating: "f", count: 300)
    var thread = CrashReport.Thread()
    thread.frames = Array(repeating: frame, count: 600)
    var report = CrashReport()
    report.threads = (0..<100).map { number in
      var thread = thread
      thread.id = number
      return thread
    }
    report.threads?[0].crashed = true
    let (size, object) = try payload(report)
    #expect((500_000...1_000_000).contains(size))
    let error = try #require(object["error"].flatMap { JSONObject(json: $0) })
    let stack = try #require(error["stack"].flatMap { JSONObject(json: $0) })
    #expect(stack["incomplete"] == true.json)
    #expect(try payload(report, isSmall: true).size <= 100_000)
  }

  @Test func otherReportsAreNotCrashes() throws {
    var report = CrashReport()
    report.kind = .deadlock
    let error = try #require(try payload(report).object["error"].flatMap { JSONObject(json: $0) })
    #expect(error["is_crash"] == false.json && error["type"] == "deadlock".json && error["stack"] == nil)
  }

  @Test func namesThatDatadogDoesNotKnowAreUnknown() {
    #expect(DatadogSignals.name("SIGSEGV") == "SIGSEGV" && DatadogSignals.code("SEGV_MAPERR") == "SEGV_MAPERR")
    #expect(DatadogSignals.name("SIGRTMIN") == "UNKNOWN" && DatadogSignals.code(nil) == "UNKNOWN")
  }
}
