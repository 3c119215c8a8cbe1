#if Desk
  import Crypto
  import DeskStore
  import Foundation

  /// Proofs that a form came from a page of this desk: each belongs to a browser's cookie and ends with the process.
  struct FormTokens: Sendable {
    static let cookie = "desk"
    private let secret = SymmetricKey(size: .bits256)

    /// The proof for a cookie's value.
    func token(for session: String) -> String {
      HMAC<SHA256>.authenticationCode(for: Data(session.utf8), using: secret).hexadecimal
    }

    func accepts(_ token: String?, _ session: String?) -> Bool {
      guard let token, let session else { return false }
      return ConstantTime.areEqual(token, self.token(for: session))
    }

    /// The value in a `Cookie` header, if it has the form of those that the desk makes.
    static func session(_ header: String?) -> String? {
      for pair in (header ?? "").split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
        guard parts.count == 2, parts[0] == cookie, ReportID(parts[1]) != nil else { continue }
        return parts[1]
      }
      return nil
    }

    static func newSession() -> String { RandomText.digits(bytes: 16) }
  }

  /// The fields of a form or a query (`application/x-www-form-urlencoded`).
  public struct FormFields: Sendable {
    private var values: [String: String] = [:]

    /// Reads percent-encoded `key=value` pairs, separated by `&`.
    public init(_ text: String) {
      for pair in text.split(separator: "&").prefix(20) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        let value = parts[1].replacing("+", with: " ")
        values[String(parts[0])] = String(value).removingPercentEncoding
      }
    }

    subscript(name: String) -> String? { values[name] }
  }
#endif
