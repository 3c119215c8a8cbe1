import CrashReportModel

/// A place that reports are sent to: it turns an event into a request, and says what an answer means.
public protocol Destination: Sendable {
  /// What stands before the colon of `--to`.
  static var kind: String { get }
  /// What stands behind it, for the help.
  static var place: String { get }
  /// What it is, for the help.
  static var summary: String { get }
  /// The environment variable that holds the place if `--to` names none.
  static var variable: String? { get }
  /// Whether such a place may want a key beside its URL.
  static var takesKey: Bool { get }

  /// - Throws: `DestinationError` if the place is none.
  init(_ place: String, _ settings: DestinationSettings) throws(DestinationError)

  /// What tells this place from others of its kind, without a secret: what was sent is remembered under it.
  var identity: String { get }

  /// How its requests are sent, if it is not a web server.
  var ownTransport: (any Transport)? { get }

  /// The request that hands over an event.
  ///
  /// - Parameters:
  ///   - now: When it is sent.
  ///   - isSmall: Whether the server found it too large: what can be left out is.
  func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest

  /// What becomes of the event after this answer.
  func verdict(on response: HTTPResponse) -> Verdict

  /// For how many seconds nothing is to be sent after this answer, if it says so.
  func pause(after response: HTTPResponse, now: Timestamp) -> Double?
}

extension Destination {
  public static var variable: String? { nil }
  public static var takesKey: Bool { false }
  public var ownTransport: (any Transport)? { nil }

  public func verdict(on response: HTTPResponse) -> Verdict { Verdict(response) }

  public func pause(after response: HTTPResponse, now: Timestamp) -> Double? {
    response.headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now) }
  }
}

/// What all destinations are told.
public struct DestinationSettings: Sendable {
  /// The value of an environment variable.
  public var variable: @Sendable (String) -> String?
  /// Headers that the user gave: every request has them.
  public var headers: [HTTPRequest.Header]
  /// A key that the user gave.
  public var key: String?
  /// The name of this program with its version: `crashsym/1.2`.
  public var client: String

  public init(
    variable: @escaping @Sendable (String) -> String? = { _ in nil }, headers: [HTTPRequest.Header] = [],
    key: String? = nil, client: String = "crashsym"
  ) {
    self.variable = variable
    self.headers = headers
    self.key = key
    self.client = client
  }
}

/// What is wrong with the place of a destination, without any of it.
public struct DestinationError: Error, Sendable, Hashable {
  public var what: String

  public init(_ what: String) { self.what = what }
}

/// What an answer means for the event.
public enum Verdict: Sendable, Hashable {
  /// The server has it.
  case accepted
  /// The server takes this event neither now nor later. It is set aside.
  case rejected(String)
  /// The server takes nothing at the moment. The event is sent again.
  case later(String)

  /// What the status says by itself.
  public init(_ response: HTTPResponse) {
    let words = Self.words(response)
    switch response.status {
    case 200..<300: self = .accepted
    case 400, 413, 415, 422: self = .rejected(words)
    default: self = .later(words)
    }
  }

  /// `answered 413: too large`
  public static func words(_ response: HTTPResponse) -> String {
    let text = String(decoding: response.body.prefix(400), as: UTF8.self).split(whereSeparator: \.isNewline)
      .joined(separator: " ")
    let hint =
      switch response.status {
      case 300..<400: " (crashsym follows no redirection)"
      case 401, 403: " (is the key right?)"
      case 404: " (is the place right?)"
      default: ""
      }
    return "the server answered \(response.status)\(hint)" + (text.isEmpty ? "" : ": \(text)")
  }
}
