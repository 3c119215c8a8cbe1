#if Desk
  import HTTPTypes

  /// Why a request is not done: an answer's status, and a reason in words.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of reasons.
    public enum Kind: Int, Sendable {
      case bad = 400
      case unauthorized = 401
      case forbidden = 403
      case notFound = 404
      case tooLarge = 413
      case wrongType = 415
      case misdirected = 421
      case unprocessable = 422
      case busy = 503
      case full = 507
    }

    public let kind: Kind
    public let reason: String

    init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }

    public var description: String { reason }

    var status: HTTPResponse.Status { HTTPResponse.Status(code: kind.rawValue) }
  }
#endif
