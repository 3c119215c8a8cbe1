import CrashReportModel

/// Datadog's intake for errors. There are two ways to it. crashsym sends reports to Datadog's agent, which has the key
/// and sends them on. Or crashsym sends reports directly to the intake, and then crashsym needs a key.
public struct DatadogDestination: Destination {
  public static let kind = "datadog"
  public static let place = "URL"
  public static let summary = "an error with all threads, for Datadog's agent or its intake"
  public static let variable: String? = "DD_TRACE_AGENT_URL"
  public static let takesKey = true

  private static let standardSite = "datadoghq.com"
  private static let standardAgent = (host: "localhost", port: "8126")
  private static let subdomain = "error-tracking-intake"
  private static let intakePath = "/api/v2/errorsintake"
  private static let agentPath = "/evp_proxy/v4\(intakePath)"

  private let address: WebAddress
  private let headers: [HTTPRequest.Header]
  private let unified: DatadogEvent.Unified

  /// - Parameter place: The URL of an agent or of the intake. A URL belongs to the intake if the URL's host begins with
  ///   `error-tracking-intake.`, or if the URL's path is `/api/v2/errorsintake`. If `place` is empty, the URL comes
  ///   from the environment variables of Datadog's libraries, such as `DD_AGENT_HOST`.
  public init(_ place: String, _ settings: DestinationSettings) throws(DestinationError) {
    func setting(_ name: String) -> String? { settings.variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    let text = place.isEmpty ? Self.standardPlace(setting, hasKey: settings.key != nil) : place
    guard let address = WebAddress(text) else { throw DestinationError("datadog: not an http or https URL") }
    let isIntake = address.host.hasPrefix("\(Self.subdomain).") || address.path == Self.intakePath
    var headers: [HTTPRequest.Header] = [.init("Content-Type", "application/json")]
    if isIntake {
      guard let key = settings.key ?? setting("DD_API_KEY") else {
        throw DestinationError(
          "datadog: the intake needs a key: --key env:NAME or file:PATH, or DD_API_KEY")
      }
      guard let header = HTTPRequest.Header(checked: "DD-API-KEY", key[...]) else {
        throw DestinationError("datadog: the key has characters that a header must not have")
      }
      headers.append(header)
    } else {
      guard settings.key == nil else {
        throw DestinationError(
          "datadog: --key is only for the intake, because an agent has its own key: see Docs/sending.md")
      }
      headers.append(.init("X-Datadog-EVP-Subdomain", Self.subdomain))
    }
    let path = isIntake ? Self.intakePath : Self.agentPath
    self.address = address.path.hasSuffix(path) ? address : address.appending(path)
    if let user = address.user { headers.append(BasicAuthorization.header(user)) }
    self.headers = headers + settings.headers
    unified = .init(service: setting("DD_SERVICE"), environment: setting("DD_ENV"), version: setting("DD_VERSION"))
  }

  /// The address if `DD_TRACE_AGENT_URL` is not set. With `--key`, it is the intake. Otherwise it is the agent that
  /// `DD_AGENT_HOST` and `DD_TRACE_AGENT_PORT` name. If neither is set, it is the intake if `DD_API_KEY` is set, and
  /// else the agent of this host.
  private static func standardPlace(_ setting: (String) -> String?, hasKey: Bool) -> String {
    let (host, port) = (setting("DD_AGENT_HOST"), setting("DD_TRACE_AGENT_PORT"))
    if !hasKey {
      if host != nil || port != nil { return "http://\(host ?? standardAgent.host):\(port ?? standardAgent.port)" }
      if setting("DD_API_KEY") == nil { return "http://\(standardAgent.host):\(standardAgent.port)" }
    }
    return "https://\(subdomain).\(setting("DD_SITE") ?? standardSite)"
  }

  public var identity: String { address.text }

  public func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest {
    let body =
      switch event.content {
      case .report(let report): DatadogEvent(report, event.id, unified).bytes(now: now, isSmall: isSmall)
      case .count(let count): DatadogEvent.count(count, event.id, unified).json.utf8
      }
    return HTTPRequest(url: address.text, headers: headers, body: body)
  }
}
