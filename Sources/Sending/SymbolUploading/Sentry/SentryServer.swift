import CrashReportModel
import Glibc
import ReportSending

/// Sentry's web interface: requests with a token, and waits that the server asks for.
struct SentryServer {
  /// Why there is no answer to work with.
  enum Failure: Error {
    /// The server refuses it forever.
    case refused(String)
    /// A later attempt may succeed.
    case later(String)

    init(_ answer: HTTPResponse) {
      self = answer.isForLater ? .later(Verdict.words(answer)) : .refused(Verdict.words(answer))
    }
  }

  /// What a server may ask for: more is more than `--timeout` can be.
  private static let longestPause = 90_000.0

  private let base: WebAddress
  private let headers: [HTTPRequest.Header]
  private let transport: any Transport

  init(_ base: WebAddress, token: String, _ settings: DestinationSettings, by transport: any Transport)
    throws(DestinationError)
  {
    guard let header = HTTPRequest.Header(checked: "Authorization", "Bearer \(token)") else {
      throw DestinationError("sentry: the token has characters that a header must not have")
    }
    self.base = base
    headers = settings.headers + [header]
    self.transport = transport
  }

  func get(_ path: String, until end: ContinuousClock.Instant) throws(Failure) -> JSONObject {
    try object(send(HTTPRequest(url: base.appending(path).text, headers: headers, body: [], method: .get), until: end))
  }

  func post(_ path: String, _ body: JSONObject, until end: ContinuousClock.Instant) throws(Failure) -> JSONObject {
    let type = HTTPRequest.Header("Content-Type", "application/json")
    return try object(
      send(HTTPRequest(url: base.appending(path).text, headers: [type] + headers, body: body.json.utf8), until: end))
  }

  func post(_ form: SentryForm, to address: WebAddress, until end: ContinuousClock.Instant) throws(Failure) {
    let type = HTTPRequest.Header("Content-Type", form.type)
    _ = try send(HTTPRequest(url: address.text, headers: [type] + headers, body: form.bytes), until: end)
  }

  /// Where chunks go. A path alone is one of this server; the token goes nowhere by an open line if this is an encrypted one.
  func address(_ text: String) -> WebAddress? {
    guard let address = WebAddress(text) else {
      if text.contains("://") || text.contains(where: \.isWhitespace) { return nil }
      let path = text.drop { $0 == "/" }
      return base.appending(path.hasPrefix("api/0/") ? "/\(path)" : "/api/0/\(path)")
    }
    return base.isSecure && !address.isSecure ? nil : address
  }

  /// Sends again while the server says when, and that is before the end.
  private func send(
    _ request: HTTPRequest, until end: ContinuousClock.Instant
  ) throws(Failure) -> HTTPResponse {
    while true {
      let answer: HTTPResponse
      do throws(TransportFailure) {
        answer = try transport.send(request)
      } catch {
        throw .later(error.what)
      }
      if (200..<300).contains(answer.status) { return answer }
      guard answer.status == 429 || answer.status == 503,
        let seconds = answer.headers["retry-after"].flatMap({ RetryAfter.seconds($0, now: Surroundings.timeOfDay()) }),
        Self.wait(.seconds(min(max(1, seconds), Self.longestPause)), until: end)
      else { throw Failure(answer) }
    }
  }

  /// Waits, unless that takes longer than there is time.
  static func wait(_ duration: Duration, until end: ContinuousClock.Instant) -> Bool {
    let clock = ContinuousClock()
    let moment = clock.now + duration
    guard moment < end else { return false }
    while clock.now < moment {
      usleep(UInt32(min(1_000_000, max(1, (moment - clock.now) / .microseconds(1)))))
    }
    return true
  }

  private func object(_ answer: HTTPResponse) throws(Failure) -> JSONObject {
    guard let outcome = try? JSONParser.parse(answer.body), outcome.cut == nil else {
      throw .refused("the answer is not from a Sentry server")
    }
    return outcome.object
  }
}
