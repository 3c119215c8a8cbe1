import CrashReportModel

/// A place to which reports are sent. It turns an event into a request, and an answer into a verdict.
public protocol Destination: Sendable {
  /// The kind of destination: the text before the colon of `--to`.
  static var kind: String { get }
  /// The form of the text after the colon, for the help.
  static var place: String { get }
  /// What the destination gets, for the help.
  static var summary: String { get }
  /// The environment variable that has the place if `--to` has none; `nil` if there is no such variable.
  static var variable: String? { get }
  /// Whether such a destination may need a key in addition to its URL.
  static var takesKey: Bool { get }

  /// - Throws: `DestinationError` if `place` does not have the form of this kind of destination.
  init(_ place: String, _ settings: DestinationSettings) throws(DestinationError)

  /// A name without secrets that distinguishes this place from other places of the same kind. The record of sent
  /// reports is stored under this name.
  var identity: String { get }

  /// The transport for its requests if it is not a web server; `nil` for a web server.
  var ownTransport: (any Transport)? { get }

  /// The request that sends an event.
  ///
  /// - Parameters:
  ///   - now: When it is sent.
  ///   - isSmall: Whether the server refused the full request as too large. The request then leaves out what it can.
  func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest

  /// The meaning of an answer for the event that was sent.
  func verdict(on response: HTTPResponse) -> Verdict

  /// For how many seconds nothing may be sent after this answer; `nil` if the answer asks for no pause.
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

/// The settings for all destinations.
public struct DestinationSettings: Sendable {
  /// The value of an environment variable.
  public var variable: @Sendable (String) -> String?
  /// The user's headers, which every request has.
  public var headers: [HTTPRequest.Header]
  /// The user's key (`--key`); `nil` if the user gave no key.
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

/// An error in the address of a destination. It never contains the address itself.
public struct DestinationError: Error, Sendable, Hashable {
  public var what: String

  public init(_ what: String) { self.what = what }
}

/// What the server's answer means for the event that was sent.
public enum Verdict: Sendable, Hashable {
  /// The server has accepted it.
  case accepted
  /// The server refuses this event forever, for this reason. The event is set aside.
  case rejected(String)
  /// The server cannot accept events now, for this reason. The event is sent again later.
  case later(String)

  /// The verdict from the status alone.
  public init(_ response: HTTPResponse) {
    let words = Self.words(response)
    switch response.status {
    case 200..<300: self = .accepted
    case 400, 413, 415, 422: self = .rejected(words)
    default: self = .later(words)
    }
  }

  /// The answer in words: its status, a hint for some statuses, and at most 400 bytes of its body, as in `the server
  /// answered 413: too large`.
  public static func words(_ response: HTTPResponse) -> String {
    let text = String(decoding: response.body.prefix(400), as: UTF8.self).split(whereSeparator: \.isNewline)
      .joined(separator: " ")
    let hint =
      switch response.status {
      case 300..<400: " (crashsym follows no redirect)"
      case 401, 403: " (is the key right?)"
      case 404: " (is the place right?)"
      default: ""
      }
    return "the server answered \(response.status)\(hint)" + (text.isEmpty ? "" : ": \(text)")
  }
}
