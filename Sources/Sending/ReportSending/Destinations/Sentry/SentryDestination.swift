import CrashReportModel

/// Sentry, and other servers that accept Sentry's envelopes.
public struct SentryDestination: Destination {
  public static let kind = "sentry"
  public static let place = "DSN"
  public static let summary = "an event with all threads, and the report as an attachment"
  public static let variable: String? = "SENTRY_DSN"

  /// Larger attachments are left out.
  private static let largestAttachment = 20 << 20

  private let dsn: WebAddress
  private let endpoint: WebAddress
  private let headers: [HTTPRequest.Header]
  private let environment: String?
  private let client: String

  public init(_ place: String, _ settings: DestinationSettings) throws(DestinationError) {
    guard !place.isEmpty else {
      throw DestinationError(
        "sentry: the DSN is missing; set SENTRY_DSN, or write sentry:DSN, sentry:env:NAME or sentry:file:PATH")
    }
    guard let dsn = WebAddress(place), let user = dsn.user, let key = user.split(separator: ":").first, !key.isEmpty,
      let slash = dsn.path.lastIndex(of: "/"), !dsn.path.contains("?")
    else { throw DestinationError("sentry: not a DSN; a DSN has the form https://KEY@HOST/PROJECT") }
    let project = dsn.path[dsn.path.index(after: slash)...]
    guard !project.isEmpty else {
      throw DestinationError("sentry: the DSN names no project; a DSN has the form https://KEY@HOST/PROJECT")
    }
    self.dsn = dsn
    endpoint = {
      var address = dsn
      address.path = "\(dsn.path[..<slash])/api/\(project)/envelope/"
      return address
    }()
    client = settings.client
    headers =
      [
        .init("Content-Type", "application/x-sentry-envelope"),
        .init("X-Sentry-Auth", "Sentry sentry_version=7, sentry_client=\(settings.client), sentry_key=\(key)"),
      ] + settings.headers
    environment = settings.variable("SENTRY_ENVIRONMENT").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The address of the project, without the key. So with a new key it is still the same destination.
  public var identity: String { dsn.text }

  public func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest {
    let body =
      switch event.content {
      case .report(let report):
        SentryEvent(report, event.id, environment: environment).bytes(isSmall: isSmall)
      case .count(let count): SentryEvent.count(count, event.id, environment: environment).json.utf8
      }
    var bytes = line(header(event.id, now)) + item("event", body, fileName: nil)
    if case .report(let report) = event.content, !isSmall {
      let attachment = report.json.utf8
      if attachment.count <= Self.largestAttachment {
        bytes += item("attachment", attachment, fileName: "report.json")
      }
    }
    return HTTPRequest(url: endpoint.text, headers: headers, body: bytes)
  }

  private func header(_ id: EventID, _ now: Timestamp) -> JSONObject {
    let parts = client.split(separator: "/", maxSplits: 1).map(String.init)
    var sdk = JSONObject()
    sdk["name"] = parts[0].json
    sdk["version"] = (parts.count > 1 ? parts[1] : "0").json
    var object = JSONObject()
    object["event_id"] = id.text.json
    object["sent_at"] = now.json
    object["sdk"] = sdk.json
    return object
  }

  /// The length in the header counts, so the content may hold anything.
  private func item(_ type: String, _ content: [UInt8], fileName: String?) -> [UInt8] {
    var header = JSONObject()
    header["type"] = type.json
    header["length"] = content.count.json
    header["content_type"] = "application/json".json
    header["filename"] = fileName?.json
    return line(header) + content + [UInt8(ascii: "\n")]
  }

  private func line(_ object: JSONObject) -> [UInt8] { object.json.utf8 + [UInt8(ascii: "\n")] }

  /// The seconds to wait before the next event. If the answer has the header `X-Sentry-Rate-Limits`, such as
  /// `60:error;transaction:key, 2700:default:organization`, its limits for errors decide. Otherwise the header
  /// `Retry-After` decides. Without both headers, the pause is 60 seconds after status 429.
  public func pause(after response: HTTPResponse, now: Timestamp) -> Double? {
    guard let limits = response.headers["x-sentry-rate-limits"] else {
      return response.headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now) }
        ?? (response.status == 429 ? 60 : nil)
    }
    let seconds = limits.split(separator: ",").compactMap { limit -> Double? in
      let parts = limit.split(separator: ":", omittingEmptySubsequences: false)
      let categories = parts.count > 1 ? parts[1].split(separator: ";").map { $0.filter { $0 != " " } } : []
      guard categories.isEmpty || categories.contains("error") else { return nil }
      return parts.first.flatMap { Double($0.filter { $0 != " " }) }.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    }
    return seconds.max()
  }
}
