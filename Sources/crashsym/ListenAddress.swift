/// Where a server listens: `127.0.0.1:8002`; `[::1]:8002` has brackets.
struct ListenAddress {
  let host: String
  let port: Int

  /// Reads the text; `nil` for anything else.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port)
    else { return nil }
    let host = String(text[..<colon])
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    guard !host.isEmpty, isBracketed || !host.contains(":") else { return nil }
    self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
    self.port = port
  }
}
