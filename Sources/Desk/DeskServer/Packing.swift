#if Desk
  /// How a body is packed, by `Content-Encoding`.
  enum Packing: Sendable {
    case none, gzip, deflate

    /// - Throws: ``Refusal`` for any other.
    init(_ header: String?) throws {
      switch header?.lowercased() {
      case nil, "identity": self = .none
      case "gzip": self = .gzip
      case "deflate": self = .deflate
      default: throw Refusal(.wrongType, "Content-Encoding must be gzip, deflate or missing")
      }
    }

    /// - Throws: ``Refusal`` if the bytes are damaged, or unpack to more than the limit.
    func unpack(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
      do throws(GunzipFailure) {
        switch self {
        case .none:
          guard bytes.count <= limit else { throw .tooLarge }
          return bytes
        case .gzip: return try Gunzip.unpack(bytes, limit: limit)
        case .deflate: return try Gunzip.unpack(bytes, limit: limit, header: .zlib)
        }
      } catch {
        switch error {
        case .damaged: throw Refusal(.bad, "the body is not valid \(self) data")
        case .tooLarge: throw Refusal(.tooLarge, "the body unpacks to more than \(limit) bytes")
        }
      }
    }
  }
#endif
