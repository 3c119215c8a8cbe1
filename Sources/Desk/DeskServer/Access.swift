#if Desk
  import DeskStore
  import Foundation
  import HTTPTypes

  /// Checks which requests may do what.
  struct Access: Sendable {
    let tokens: Tokens
    /// Whether other machines can connect.
    let isOpenToOthers: Bool
    let hosts: HostRule
    let forms = FormTokens()

    /// - Throws: ``Refusal`` if the request is not for this desk.
    func checkHost(_ request: DeskRequest) throws {
      guard hosts.allows(request.authority) else {
        throw Refusal(.misdirected, "the desk does not know this host name; add the name with crashsym desk --name")
      }
    }

    /// Sending needs a token if there is any, or if other machines can connect. The token's project; `nil` without one.
    func checkSender(_ request: DeskRequest) throws -> String? {
      try checkSender(Self.token(request.headers[.authorization]), "Authorization: Bearer TOKEN")
    }

    /// The same for a client of Sentry's, whose key is the token.
    func checkSender(key: String?) throws -> String? {
      try checkSender(key, "in the DSN, http://TOKEN@HOST/PROJECT")
    }

    private func checkSender(_ token: String?, _ place: String) throws -> String? {
      guard isOpenToOthers || !tokens.isEmpty else { return nil }
      guard let token, let project = tokens.project(of: token) else {
        throw Refusal(.unauthorized, "a token is needed: \(place)")
      }
      return project
    }

    /// Reading needs a token if other machines can connect.
    func checkReader(_ request: DeskRequest) throws {
      if isOpenToOthers { try checkToken(request) }
    }

    private func checkToken(_ request: DeskRequest) throws {
      guard let token = Self.token(request.headers[.authorization]), tokens.contains(token) else {
        throw Refusal(.unauthorized, "a token is needed: Authorization: Bearer TOKEN")
      }
    }

    /// The token of a program (`Bearer`), or the password that a browser asked its user for (`Basic`).
    private static func token(_ header: String?) -> String? {
      let parts = (header ?? "").split(separator: " ", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      switch parts[0].lowercased() {
      case "bearer": return String(parts[1])
      case "basic":
        guard let bytes = Data(base64Encoded: String(parts[1])) else { return nil }
        let pair = String(decoding: bytes, as: UTF8.self).split(
          separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return pair.count == 2 ? String(pair[1]) : nil
      default: return nil
      }
    }

    /// The fields of a form that came from a page of this desk.
    ///
    /// - Throws: ``Refusal`` if another site sent it.
    func form(_ request: DeskRequest) async throws -> FormFields {
      guard request.contentType == "application/x-www-form-urlencoded" else {
        throw Refusal(.wrongType, "Content-Type must be application/x-www-form-urlencoded")
      }
      if let origin = request.headers[.origin], let authority = request.authority {
        guard ["http://\(authority)", "https://\(authority)"].contains(origin) else {
          throw Refusal(.forbidden, "the form is not from this desk")
        }
      }
      let fields = FormFields(String(decoding: try await request.body(1 << 16), as: UTF8.self))
      guard forms.accepts(fields["proof"], FormTokens.session(request.headers[.cookie])) else {
        throw Refusal(.forbidden, "the form is too old, or not from this desk; load the page again")
      }
      return fields
    }
  }
#endif
