#if Desk
  import HTTPTypes

  /// Why the desk refuses a request: the answer's status, and the reason in words.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of reasons.
    public enum Kind: Int, Sendable {
      /// The request is malformed.
      case bad = 400
      /// The token is missing or wrong.
      case unauthorized = 401
      /// A page of another site sent the form.
      case forbidden = 403
      /// There is no such page.
      case notFound = 404
      /// The body is too large.
      case tooLarge = 413
      /// The body has another type or encoding.
      case wrongType = 415
      /// The desk does not know the name in `Host`.
      case misdirected = 421
      /// The body is not a report.
      case unprocessable = 422
      /// The project sends too many requests.
      case tooMany = 429
      /// There are too many requests at a time.
      case busy = 503
      /// The report could not be stored.
      case full = 507
    }

    /// The kind of error, which is the HTTP status.
    public let kind: Kind
    /// The error, in words for the sender.
    public let reason: String
    /// After how many seconds the client may try again; `nil` if the desk's answer names no time.
    public let retryAfter: Int?

    init(_ kind: Kind, _ reason: String, retryAfter: Int? = nil) {
      (self.kind, self.reason) = (kind, reason)
      self.retryAfter = retryAfter ?? (kind == .busy || kind == .full ? 5 : nil)
    }

    /// The ``reason``.
    public var description: String { reason }

    var status: HTTPResponse.Status { HTTPResponse.Status(code: kind.rawValue) }
  }
#endif
