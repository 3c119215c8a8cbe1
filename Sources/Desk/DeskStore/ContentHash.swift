#if Desk
  import Crypto

  /// The hash from which report ids and stored tokens are made.
  enum ContentHash {
    /// SHA-256, as 64 hexadecimal digits.
    static func digits(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }
  }

  extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    public var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
  }
#endif
