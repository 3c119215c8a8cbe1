#if Desk
  /// The id of a report: 32 hexadecimal digits. It comes from a hash, so it is safe as the name of a file.
  public struct ReportID: Sendable, Hashable {
    /// The 32 digits.
    public let text: String

    /// The id of a report without its own key: the same content has the same id.
    public init(of bytes: [UInt8]) { text = String(ContentHash.digits(of: bytes).prefix(32)) }

    /// The id of a report whose sender gives it a key. Each attempt to send the report has the same key.
    public init(key: String) { text = String(ContentHash.digits(of: Array("key:\(key)".utf8)).prefix(32)) }

    /// Reads the digits; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
      guard text.utf8.count == 32,
        text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
      else { return nil }
      self.text = String(text)
    }
  }
#endif
