#if Desk
  import HTTPTypes

  /// A client's request, independent of the HTTP server.
  public struct DeskRequest: Sendable {
    /// The method, such as `GET`.
    public var method: String
    /// The path without the query.
    public var path: String
    /// The fields of the query.
    public var query: FormFields
    /// The name in the header `Host`.
    public var authority: String?
    /// The header's fields.
    public var headers: HTTPFields
    /// Reads the whole body.
    ///
    /// - Throws: ``Refusal`` if it is longer than the limit.
    public var body: @Sendable (_ limit: Int) async throws -> [UInt8]
    /// Passes a long body to `take` in pieces, in the order in which they arrive.
    ///
    /// - Throws: ``Refusal`` if the body is longer than the limit. An error that `take` throws is rethrown.
    public var save: @Sendable (_ limit: Int, _ take: (UnsafeRawBufferPointer) throws -> Void) async throws -> Void

    /// Counts bytes that the work on the request holds besides the body, until the answer is ready.
    ///
    /// - Throws: ``Refusal`` if all requests hold too much.
    var hold: @Sendable (_ count: Int) throws -> Void = { _ in }

    /// Makes a request from its target: the path with the query.
    public init(
      _ method: String, _ target: String, authority: String?, headers: HTTPFields = [:],
      body: @escaping @Sendable (_ limit: Int) async throws -> [UInt8]
    ) {
      let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      self.method = method
      path = String(parts.first ?? "")
      query = FormFields(parts.count == 2 ? String(parts[1]) : "")
      (self.authority, self.headers, self.body) = (authority, headers, body)
      save = { limit, take in try await body(limit).withUnsafeBytes(take) }
    }

    /// The type of the body, without parameters.
    var contentType: String? {
      headers[.contentType]?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
    }
  }

  /// The desk's answer.
  public struct DeskAnswer: Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The header's fields.
    public var headers: HTTPFields
    /// The bytes of the body.
    public var body: [UInt8]
    /// Starts the stream of events, which the desk sends after the body while the client listens. `nil` if the answer
    /// has no events.
    public var events: (@Sendable () throws -> ListenedEvents)?

    init(_ status: HTTPResponse.Status = .ok, _ type: String, _ body: [UInt8]) {
      self.status = status
      headers = [.contentType: type]
      self.body = body
    }

    static func page(_ text: String, _ status: HTTPResponse.Status = .ok) -> DeskAnswer {
      DeskAnswer(status, "text/html; charset=utf-8", Array(text.utf8))
    }

    static func text(_ text: String) -> DeskAnswer { DeskAnswer(.ok, "text/plain; charset=utf-8", Array(text.utf8)) }

    /// Leads the browser to another page of the desk after a form.
    static func redirect(to path: String) -> DeskAnswer {
      var answer = DeskAnswer(.seeOther, "text/plain; charset=utf-8", [])
      answer.headers[.location] = path
      return answer
    }
  }
#endif
