#if Desk
  import HTTPTypes

  /// Why a request is not done: an answer's status, and a reason in words.
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
      /// The body is no report.
      case unprocessable = 422
      /// The project sends too often.
      case tooMany = 429
      /// Too much comes in at a time.
      case busy = 503
      /// The report could not be stored.
      case full = 507
    }

    /// What is wrong, as a status of HTTP.
    public let kind: Kind
    /// What is wrong, in words for the sender.
    public let reason: String
    /// Seconds after which the same request may be answered.
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
