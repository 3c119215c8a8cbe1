#if Desk
  import Glibc

  /// The allowed values of a request's header `Host`. With DNS rebinding, a page of another site can make a browser
  /// treat the desk as a server of that site. The browser's requests then have the name of that site in `Host`, so the
  /// desk refuses them. Such requests never have an IP address in `Host`, so the desk allows all IP addresses.
  public struct HostRule: Sendable {
    private let names: Set<String>

    /// Allows IP addresses, `localhost` and these host names.
    public init(names: [String]) { self.names = Set(names.map { $0.lowercased() } + ["localhost"]) }

    /// Whether a request for this host, with or without a port, is for the desk.
    public func allows(_ authority: String?) -> Bool {
      guard let authority, let host = Self.host(authority) else { return false }
      return names.contains(host.lowercased()) || Self.isAddress(host)
    }

    private static func host(_ authority: String) -> String? {
      if authority.hasPrefix("[") {
        guard let end = authority.firstIndex(of: "]"), isPort(authority[authority.index(after: end)...]) else {
          return nil
        }
        return String(authority[authority.index(after: authority.startIndex)..<end])
      }
      let end = authority.firstIndex(of: ":") ?? authority.endIndex
      return isPort(authority[end...]) ? String(authority[..<end]) : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
      text.isEmpty || (text.first == ":" && text.dropFirst().allSatisfy { $0.isASCII && $0.isNumber })
    }

    private static func isAddress(_ host: String) -> Bool {
      var four = in_addr()
      var six = in6_addr()
      return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }

    /// Whether only this machine can connect to this listening address.
    public static func isLoopback(_ host: String) -> Bool {
      var four = in_addr()
      if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
      return host == "::1" || host.lowercased() == "localhost"
    }
  }
#endif
