import CrashReportModel

/// OpenTelemetry. It gets a log record over OTLP/HTTP, as protobuf or as JSON.
public struct OTLPDestination: Destination {
  public static let kind = "otlp"
  public static let place = "URL"
  public static let summary = "a log record for OpenTelemetry (OTLP/HTTP)"
  public static let variable: String? = "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"

  private static let prefix = "OTEL_EXPORTER_OTLP_"
  private static let standard = "http://localhost:4318"
  private static let path = "/v1/logs"

  private let address: WebAddress
  private let headers: [HTTPRequest.Header]
  private let isJSON: Bool
  private let resource: [OTLPAttribute]
  private let client: String

  /// - Parameter place: A URL. If its path does not end with `/v1/logs`, this ending is added. If `place` is empty, the
  ///   variables of OpenTelemetry name the URL.
  public init(_ place: String, _ settings: DestinationSettings) throws(DestinationError) {
    func setting(_ name: String) -> String? { settings.variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    func either(_ name: String) -> String? { setting("\(Self.prefix)LOGS_\(name)") ?? setting(Self.prefix + name) }
    let isWhole = place == setting("\(Self.prefix)LOGS_ENDPOINT")
    let text = place.isEmpty ? setting("\(Self.prefix)ENDPOINT") ?? Self.standard : place
    guard var address = WebAddress(text) else { throw DestinationError("otlp: not an http or https URL") }
    if !isWhole, !address.path.hasSuffix(Self.path) { address = address.appending(Self.path) }
    self.address = address
    switch either("PROTOCOL") {
    case nil, "http/protobuf": isJSON = false
    case "http/json": isJSON = true
    default: throw DestinationError("otlp: OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json")
    }
    var headers = settings.headers + (try Self.headers(either("HEADERS") ?? ""))
    if let user = address.user { headers.append(BasicAuthorization.header(user)) }
    self.headers = headers
    resource = Self.resource(setting)
    client = settings.client
  }

  public var identity: String { address.text }

  public func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest {
    let record =
      switch event.content {
      case .report(let report): OTLPRecord(report, event.id, observed: now, isSmall: isSmall)
      case .count(let count): OTLPRecord(count, event.id, observed: now)
      }
    let logs = OTLPLogs(record: record, resource: service(of: event.content) + resource, client: client)
    return HTTPRequest(
      url: address.text,
      headers: [.init("Content-Type", isJSON ? "application/json" : "application/x-protobuf")] + headers,
      body: isJSON ? logs.json.utf8 : logs.protobuf)
  }

  /// The program that the event is of, unless the environment names a service.
  private func service(of content: SentEvent.Content) -> [OTLPAttribute] {
    guard !resource.contains(where: { $0.name == "service.name" }) else { return [] }
    let name: String? =
      switch content {
      case .report(let report): report.application?.name ?? report.process?.name
      case .count(let count): count.application?.name
      }
    return [OTLPAttribute("service.name", .text(name ?? "unknown_service"))]
  }

  // MARK: Answers

  /// Follows the protocol: after 429, 502, 503 and 504, the record is sent again later. After a redirect, and after
  /// 401, 403, 404, 407 and 408, the record is also sent again later, because the record is not the cause of the error.
  public func verdict(on response: HTTPResponse) -> Verdict {
    switch response.status {
    case 200..<300:
      let refused = OTLPAnswer(response).refused
      return refused.map { .rejected("the server refused the log record: \($0)") } ?? .accepted
    case 300..<400, 401, 403, 404, 407, 408, 429, 502...504: return .later(Verdict.words(response))
    default: return .rejected(Verdict.words(response))
    }
  }

  // MARK: Variables

  /// `OTEL_EXPORTER_OTLP_HEADERS`: `name=value` with commas between, as W3C's Baggage.
  private static func headers(_ text: String) throws(DestinationError) -> [HTTPRequest.Header] {
    var headers: [HTTPRequest.Header] = []
    for (name, value) in pairs(text) {
      guard let header = HTTPRequest.Header(checked: name, value[...]) else {
        throw DestinationError("otlp: OTEL_EXPORTER_OTLP_HEADERS: an entry is not a header (name=value,…)")
      }
      headers.append(header)
    }
    return headers
  }

  /// `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME`, which counts alone.
  private static func resource(_ setting: (String) -> String?) -> [OTLPAttribute] {
    let service = setting("OTEL_SERVICE_NAME").map { [OTLPAttribute("service.name", .text($0))] } ?? []
    let others = pairs(setting("OTEL_RESOURCE_ATTRIBUTES") ?? "").map { OTLPAttribute($0, .text($1)) }
    return service + others.filter { service.isEmpty || $0.name != "service.name" }
  }

  private static func pairs(_ text: String) -> [(String, String)] {
    text.split(separator: ",").compactMap { entry in
      let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
        let unescaped = String(decoding: PercentEncoding.decoded(String(part)), as: UTF8.self)
        return unescaped.split(separator: " ").joined(separator: " ")
      }
      return parts.count == 2 && !parts[0].isEmpty ? (parts[0], parts[1]) : nil
    }
  }
}

/// What a server says of records that it did not take, though its answer is 200.
private struct OTLPAnswer {
  var refused: String?

  init(_ response: HTTPResponse) {
    if response.headers["content-type"]?.hasPrefix("application/json") == true {
      let object = try? JSONParser.parse(response.body).object
      let partial = object?["partialSuccess"].flatMap { JSONObject(json: $0) }
      let count = partial?["rejectedLogRecords"].flatMap { Int(json: $0) } ?? 0
      if count > 0 { refused = partial?["errorMessage"].flatMap { String(json: $0) } ?? "" }
    } else if let partial = ProtobufFields(response.body).bytes(1) {
      let fields = ProtobufFields(partial)
      if let count = fields.number(1), count > 0 {
        refused = fields.bytes(2).map { String(decoding: $0, as: UTF8.self) } ?? ""
      }
    }
  }
}

/// The fields of a message of Protocol Buffers. What is damaged ends it.
struct ProtobufFields {
  private var numbers: [UInt64: UInt64] = [:]
  private var texts: [UInt64: [UInt8]] = [:]

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let key = Self.number(&rest) {
      switch key & 7 {
      case 0:
        guard let number = Self.number(&rest) else { return }
        numbers[key >> 3] = number
      case 2:
        guard let count = Self.number(&rest), count <= UInt64(rest.count) else { return }
        texts[key >> 3] = Array(rest.prefix(Int(count)))
        rest = rest.dropFirst(Int(count))
      case 1, 5: rest = rest.dropFirst(key & 7 == 1 ? 8 : 4)
      default: return
      }
    }
  }

  func number(_ field: UInt64) -> UInt64? { numbers[field] }
  func bytes(_ field: UInt64) -> [UInt8]? { texts[field] }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
