#if Desk
  /// The id of a report: 32 hexadecimal digits. It comes from a hash, so it is safe as the name of a file.
  public struct ReportID: Sendable, Hashable {
    /// The 32 digits.
    public let text: String

    /// Makes the id of a report that has no key. The id depends only on the bytes, so the same bytes always have the
    /// same id.
    public init(of bytes: [UInt8]) { text = String(ContentHash.digits(of: bytes).prefix(32)) }

    /// Makes the id of a report from a key that the sender chose. If the sender sends the report again, it uses the
    /// same key, so the report has the same id.
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
