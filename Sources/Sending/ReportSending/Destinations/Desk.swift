import CrashReportModel

/// A `crashsym desk`: it gets the unchanged report, with a token if the desk needs a token.
public struct DeskDestination: Destination {
  public static let kind = "desk"
  public static let place = "URL"
  public static let summary = "the report, for crashsym desk; give the desk's token with --key"
  public static let takesKey = true

  private let address: WebAddress
  private let headers: [HTTPRequest.Header]

  public init(_ place: String, _ settings: DestinationSettings) throws(DestinationError) {
    guard let address = WebAddress(place), address.user == nil else {
      throw DestinationError("desk: the URL must begin with http:// or https:// and must not contain a user name")
    }
    self.address = address.appending("/api/reports")
    let token = settings.key.map { [HTTPRequest.Header("Authorization", "Bearer \($0)")] } ?? []
    headers = token + settings.headers
  }

  public var identity: String { address.text }

  public func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest {
    HTTPRequest(
      url: address.text,
      headers: [.init("Content-Type", "application/json"), .init("Idempotency-Key", event.id.uuid)] + headers,
      body: event.json.utf8)
  }
}
