import CrashReportModel
import Testing

@testable import ReportSending

@Suite struct DeskDestinationTests {
  private static let now = Timestamp(microsecondsSince1970: 1_795_773_600_000_000)

  private static func request(_ event: SentEvent, _ place: String, key: String? = nil) throws -> HTTPRequest {
    let settings = DestinationSettings(variable: { _ in nil }, key: key)
    let destination = try #require(try Destinations.named("desk:\(place)", settings) as? DeskDestination)
    return destination.request(for: event, now: now, isSmall: false)
  }

  /// Whatever a report holds, it is the body alone, and as it is.
  @Test(arguments: ["sold out", "\"}]\r\nHost: evil\u{0}", "</script>\u{202E}"])
  func handsAReportOnAsItIs(text: String) throws {
    var report = CrashReport()
    (report.kind, report.message) = (.crashReport, text)
    let event = SentEvent(id: EventID(of: Array(text.utf8)), .report(report))
    let request = try Self.request(event, "http://desk.example/at/", key: "secret")
    #expect(request.url == "http://desk.example/at/api/reports")
    #expect(try JSONParser.parse(request.body).object["message"] == .string(text))
    let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
    #expect(
      headers == [
        "Content-Type": "application/json", "Idempotency-Key": event.id.uuid, "Authorization": "Bearer secret",
      ])
  }

  @Test func handsACountOn() throws {
    let count = LoopCount(
      fingerprint: "2-0123456789abcdef", title: "trap in f", count: 41, sent: nil, minute: Self.now)
    let request = try Self.request(SentEvent(id: EventID(of: [1]), .count(count)), "http://desk.example")
    let object = try JSONParser.parse(request.body).object
    #expect(object["schema"] == .string("crashkit-count/1") && object["count"]?.text == "41")
    #expect(!request.headers.contains { $0.name == "Authorization" })
  }

  @Test(arguments: ["", "desk.example", "ftp://desk.example", "http://user:secret@desk.example/"])
  func refusesTextThatIsNotADesk(place: String) {
    #expect(throws: DestinationError.self) { try DeskDestination(place, DestinationSettings(variable: { _ in nil })) }
  }
}
