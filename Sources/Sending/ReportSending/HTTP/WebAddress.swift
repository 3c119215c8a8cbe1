/// The parts of an `http` or `https` URL.
public struct WebAddress: Sendable, Hashable {
  public var isSecure: Bool
  /// The part before `@`. It may hold a password.
  public var user: String?
  /// The host, with its port if one is given.
  public var host: String
  /// The path from the first `/` on, with the query; may be empty.
  public var path: String

  /// Reads a URL; `nil` for anything else, and for a URL with invalid characters.
  public init?(_ text: String) {
    guard text.utf8.count <= 8192, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") })
    else {
      return nil
    }
    var rest = Substring(text)
    if Self.skip("https://", &rest) {
      isSecure = true
    } else if Self.skip("http://", &rest) {
      isSecure = false
    } else {
      return nil
    }
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    var authority = rest[..<end]
    // A fragment is for browsers.
    path = String(rest[end...].prefix { $0 != "#" })
    if let mark = authority.lastIndex(of: "@") {
      user = String(authority[..<mark])
      authority = authority[authority.index(after: mark)...]
    }
    guard !authority.isEmpty, authority.first != ":" else { return nil }
    host = String(authority)
  }

  /// The URL without user and password.
  public var text: String { "\(isSecure ? "https" : "http")://\(host)\(path)" }

  /// The same URL, with `suffix` between the path and the query.
  public func appending(_ suffix: String) -> WebAddress {
    var address = self
    let query = path.firstIndex(of: "?") ?? path.endIndex
    let base = path[..<query]
    address.path = (base.hasSuffix("/") ? String(base.dropLast()) : String(base)) + suffix + path[query...]
    return address
  }

  private static func skip(_ prefix: String, _ text: inout Substring) -> Bool {
    guard text.prefix(prefix.count).lowercased() == prefix else { return false }
    text = text.dropFirst(prefix.count)
    return true
  }
}
