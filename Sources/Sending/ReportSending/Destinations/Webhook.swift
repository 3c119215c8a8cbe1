import CrashReportModel

/// Any server that accepts POST requests with JSON. It gets the unchanged report.
public struct WebhookDestination: Destination {
  public static let kind = "webhook"
  public static let place = "URL"
  public static let summary = "the report as JSON, by POST"

  private let address: WebAddress
  private let headers: [HTTPRequest.Header]

  public init(_ place: String, _ settings: DestinationSettings) throws(DestinationError) {
    guard let address = WebAddress(place) else { throw DestinationError("webhook: not an http or https URL") }
    self.address = address
    var headers = settings.headers
    if let user = address.user { headers.append(BasicAuthorization.header(user)) }
    self.headers = headers
  }

  public var identity: String { address.text }

  public func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest {
    HTTPRequest(
      url: address.text,
      headers: [
        .init("Content-Type", "application/json"), .init("Idempotency-Key", event.id.uuid),
        .init("X-CrashKit-Event", event.isCount ? "count" : "report"),
      ] + headers, body: event.json.utf8)
  }
}

extension SentEvent {
  /// Whether it is a count of reports.
  var isCount: Bool {
    if case .count = content { true } else { false }
  }

  /// The report as it is; or a count, in a form of its own.
  var json: JSONValue {
    switch content {
    case .report(let report): report.json
    case .count(let count): Self.json(of: count, id)
    }
  }

  private static func json(of count: LoopCount, _ id: EventID) -> JSONValue {
    var object = JSONObject()
    object["schema"] = "crashkit-count/1".json
    object["id"] = id.text.json
    object["fingerprint"] = count.fingerprint.json
    object["title"] = count.title.json
    object["count"] = count.count.json
    object["minute"] = count.minute.json
    object["sent"] = count.sent?.text.json
    object["application"] = count.application?.json
    return object.json
  }
}
