import CrashReportModel
import Testing

@testable import ReportSending

@Suite struct SentryTests {
  private let now = Timestamp(microsecondsSince1970: 1_795_773_600_000_000)

  private func destination(_ dsn: String = "https://key@host/base/7") throws -> SentryDestination {
    try SentryDestination(dsn, DestinationSettings(client: "crashsym/1.0"))
  }

  /// The lines of an envelope as objects; the content of each item is one line here.
  private func lines(_ request: HTTPRequest) throws -> [JSONObject] {
    try request.body.split(separator: UInt8(ascii: "\n")).map { try JSONParser.parse(Array($0)).object }
  }

  @Test func theDSNBecomesAnEndpoint() throws {
    let request = try destination().request(
      for: SentEvent(id: EventID(of: [1]), .report(CrashReport())), now: now, isSmall: false)
    #expect(request.url == "https://host/base/api/7/envelope/")
    #expect(
      request.headers.contains(
        .init("X-Sentry-Auth", "Sentry sentry_version=7, sentry_client=crashsym/1.0, sentry_key=key")))
    #expect(try destination("https://other@host/base/7").identity == destination().identity)
  }

  @Test(arguments: [
    "https://host/7", "https://key@host/", "https://key@host", "https://@host/1", "key", "https://key@host/1?x",
  ])
  func otherTextsAreNotDSNs(_ dsn: String) {
    #expect(throws: DestinationError.self) { try destination(dsn) }
  }

  /// To name no place and to set no variable is another mistake than a wrong DSN.
  @Test func theVariableThatIsNotSetIsNamed() throws {
    for value in [nil, ""] {
      let error = #expect(throws: DestinationError.self) {
        try Destinations.named("sentry", DestinationSettings(variable: { _ in value }))
      }
      #expect(error?.what.hasPrefix("sentry: the DSN is missing; set SENTRY_DSN") == true)
    }
  }

  /// The example of Sentry's documentation, and shorter ones.
  @Test(arguments: [
    ("f1c3bcc0279865fe3058404b2831d9e64135386c", "c0bcc3f1-9827-fe65-3058-404b2831d9e6"),
    ("ABCD", "0000cdab-0000-0000-0000-000000000000"), ("", "00000000-0000-0000-0000-000000000000"),
  ])
  func buildIDsBecomeDebugIDs(_ buildID: String, _ debugID: String) {
    #expect(SentryDebugID.text(buildID) == debugID)
  }

  @Test func anEnvelopeHasEventAndReport() throws {
    var report = CrashReport()
    report.message = "line\nbreak"
    let request = try destination().request(
      for: SentEvent(id: EventID(of: [1]), .report(report)), now: now, isSmall: false)
    let lines = try lines(request)
    #expect(lines.count == 5)
    #expect(lines[0]["event_id"] == EventID(of: [1]).text.json && lines[0]["sent_at"] == now.json)
    #expect(lines[1]["type"] == "event".json && lines[3]["filename"] == "report.json".json)
    #expect(CrashReport(fields: lines[4]) == report)
    let small = try destination().request(
      for: SentEvent(id: EventID(of: [1]), .report(report)), now: now, isSmall: true)
    #expect(try self.lines(small).count == 3)
  }

  @Test func aLargeReportIsCutToFit() throws {
    var report = CrashReport()
    var thread = CrashReport.Thread()
    thread.frames = (0..<60).map { index in
      var frame = CrashReport.Frame()
      frame.kind = .returnAddress
      frame.address = Address(UInt64(index + 1))
      frame.description = String(repeating: "f", count: 100)
      return frame
    }
    report.threads = (0..<400).map { index in
      var thread = thread
      thread.id = index
      if index == 399 {
        thread.crashed = true
        thread.frames = nil
      }
      return thread
    }
    let bytes = SentryEvent(report, EventID(of: [1]), environment: nil).bytes(isSmall: false)
    #expect(bytes.count <= 1 << 20)
    let event = try JSONParser.parse(bytes).object
    guard case .object(let threads)? = event["threads"], case .array(let values)? = threads["values"] else {
      Issue.record("no threads")
      return
    }
    let first = JSONObject(json: values[0])
    #expect(values.count > 10 && first?["id"] == 399.json && first?["crashed"] == true.json)
    #expect(SentryEvent(report, EventID(of: [1]), environment: nil).bytes(isSmall: true).count <= 200_000)
  }

  @Test func framesOfTheMiddleAreLeftOut() throws {
    let frames = (0..<400).map { index in
      var frame = CrashReport.Frame()
      frame.kind = .returnAddress
      frame.address = Address(UInt64(index))
      return frame
    }
    let stack = try #require(SentryStack(CrashReport()).json(of: frames, atMost: 100))
    guard case .array(let values)? = stack["frames"] else {
      Issue.record("no frames")
      return
    }
    #expect(values.count == 100)
    #expect(stack["frames_omitted"] == [25, 325].json)
    #expect(JSONObject(json: values[0])?["instruction_addr"] == Address(399).json)
    #expect(JSONObject(json: values[24])?["instruction_addr"] == Address(375).json)
    #expect(JSONObject(json: values[25])?["instruction_addr"] == Address(74).json)
    #expect(JSONObject(json: values[99])?["instruction_addr"] == Address(0).json)
  }

  @Test func theCallersOfATaskAreAChain() throws {
    let kinds: [CrashReport.Frame.Kind] = [.programCounter, .returnAddress, .asyncResumePoint, .asyncResumePoint]
    let frames = kinds.map { kind in
      var frame = CrashReport.Frame()
      frame.kind = kind
      return frame
    }
    let stack = try #require(SentryStack(CrashReport()).json(of: frames, atMost: 100))
    guard case .array(let values)? = stack["frames"] else {
      Issue.record("no frames")
      return
    }
    #expect(values.map { JSONObject(json: $0)?["stack_start"] } == [nil, nil, true.json, nil])
  }

  @Test(
    arguments: [
      ("60:error:key", 60), ("60:transaction:key, 2700::organization", 2700), ("60:transaction;session:key", nil),
      ("5:default;error:x,9:error:y", 9), ("x", nil), ("", nil),
    ] as [(String, Double?)])
  func limitsOfErrorsCount(_ header: String, _ seconds: Double?) throws {
    let response = HTTPResponse(status: 200, headers: ["x-sentry-rate-limits": header])
    #expect(try destination().pause(after: response, now: now) == seconds)
  }

  @Test(
    arguments: [
      ("api", "1.0/x", "7", "api@1.0_x+7"), ("a\nb", "1", nil, "a b@1"), ("", "..", nil, nil),
      ("", "Latest", nil, nil),
      ("ä", String(repeating: "ö", count: 200), nil, "ä@" + String(repeating: "ö", count: 98)),
    ] as [(String, String, String?, String?)])
  func releasesAreCleaned(_ name: String, _ version: String, _ build: String?, _ release: String?) {
    var application = CrashReport.Application()
    application.name = name.isEmpty ? nil : name
    application.version = version
    application.build = build
    #expect(SentryText.release(application) == release)
    #expect(SentryText.release(nil) == nil)
  }

  @Test func environmentsThatSentryRefusesAreLeftOut() {
    #expect(SentryText.environment(#"eu/a\b"#) == "eu_a_b")
    #expect(SentryText.environment(String(repeating: "ü", count: 40)) == String(repeating: "ü", count: 32))
    #expect(["None", "..", " \n "].allSatisfy { SentryText.environment($0) == nil })
  }

  @Test func attributesNamedAsFieldsOfAnEventAreTags() throws {
    var report = CrashReport()
    var attributes = JSONObject()
    attributes["environment"] = "blue".json
    attributes["tenant"] = "one".json
    report.attributes = attributes
    let event = SentryEvent(report, EventID(of: [1]), environment: nil).bytes(isSmall: false)
    let tags = try #require(JSONParser.parse(event).object["tags"].flatMap { JSONObject(json: $0) })
    #expect(tags["app.environment"] == "blue".json && tags["environment"] == nil && tags["tenant"] == "one".json)
  }

  @Test func scrubbedValuesAreNotTags() {
    #expect(SentryText.plain(.string(CrashReport.scrubbedText)) == nil)
    #expect(SentryText.plain(.string(" a\u{0}\n b ")) == "a   b")
    #expect(SentryText.plain(.bool(true)) == "true" && SentryText.plain(.array([])) == nil)
    #expect(SentryText.tagName("a b/ü.1") == "a_b__.1")
    #expect(SentryText.text("aüb", atMost: 3) == "…" && SentryText.text("abcdü", atMost: 5) == "ab…")
  }
}
