import CrashReportModel
import Testing

@testable import ReportSending

@Suite struct OTLPTests {
  private let now = Timestamp(microsecondsSince1970: 1_795_773_600_000_000)

  private func destination(_ place: String, _ variables: [String: String] = [:]) throws -> OTLPDestination {
    try OTLPDestination(place, DestinationSettings(variable: { variables[$0] }, client: "crashsym/1.0"))
  }

  private func request(_ destination: OTLPDestination, _ report: CrashReport = CrashReport()) -> HTTPRequest {
    destination.request(for: SentEvent(id: EventID(of: [1]), .report(report)), now: now, isSmall: false)
  }

  @Test(
    arguments: [
      ("http://h:4318", [:], "http://h:4318/v1/logs"), ("http://h/a/", [:], "http://h/a/v1/logs"),
      ("http://h/v1/logs", [:], "http://h/v1/logs"), ("", [:], "http://localhost:4318/v1/logs"),
      ("", ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://g"], "http://g/v1/logs"),
      ("http://l/x", ["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://l/x"], "http://l/x"),
    ] as [(String, [String: String], String)])
  func thePlaceIsFound(_ place: String, _ variables: [String: String], _ url: String) throws {
    #expect(try destination(place, variables).identity == url)
  }

  @Test func otherProtocolsAndHeadersAreRefused() {
    for variables in [["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"], ["OTEL_EXPORTER_OTLP_HEADERS": "a%0Ab=c"]] {
      #expect(throws: DestinationError.self) { try destination("http://h", variables) }
    }
    #expect(throws: DestinationError.self) { try destination("h") }
  }

  @Test func idsOfTracesComeFromTheContext() throws {
    let json = ["OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"]
    var trace = CrashReport.Trace()
    trace.traceId = "0af7651916cd43dd8448eb211c80319c"
    trace.spanId = "b7ad6b7169203331"
    var report = CrashReport()
    report.context = CrashReport.Context()
    report.context?.trace = trace
    let text = String(decoding: request(try destination("http://h", json), report).body, as: UTF8.self)
    #expect(text.contains(#""traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331""#))
    report.context?.trace?.spanId = "0000000000000000"
    #expect(
      !String(decoding: request(try destination("http://h", json), report).body, as: UTF8.self).contains("traceId"))
  }

  @Test(
    arguments: [
      (200, nil), (429, true), (500, false), (503, true), (400, false), (401, true), (302, true),
    ] as [(Int, Bool?)])
  func answersFollowTheProtocol(_ status: Int, _ isLater: Bool?) throws {
    let verdict = try destination("http://h").verdict(on: HTTPResponse(status: status))
    switch verdict {
    case .accepted: #expect(isLater == nil)
    case .later: #expect(isLater == true)
    case .rejected: #expect(isLater == false)
    }
  }

  @Test func aDamagedAnswerIsNotARefusal() throws {
    for body in [[0x0A], [0x0A, 0xFF, 0xFF], [0xFF], [0x0B, 1]] as [[UInt8]] {
      #expect(try destination("http://h").verdict(on: HTTPResponse(status: 200, body: body)) == .accepted)
    }
    let refusal: [UInt8] = [0x0A, 6, 0x08, 1, 0x12, 2, 0x68, 0x69]
    let verdict = try destination("http://h").verdict(on: HTTPResponse(status: 200, body: refusal))
    #expect(verdict == .rejected("the server refused the log record: hi"))
  }
}
