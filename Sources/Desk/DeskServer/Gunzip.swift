#if Desk
  import CZlib

  /// Why compressed bytes were not unpacked.
  enum GunzipFailure: Error, Equatable {
    /// The bytes are not gzip data, or a part is missing.
    case damaged
    /// The unpacked bytes exceed the limit.
    case tooLarge
  }

  /// Unpacks gzip data, up to a limit, because a few bytes may unpack to gigabytes.
  enum Gunzip {
    /// What stands before the packed bytes: zlib's spelling of the largest window, and of gzip's header in place of its
    /// own.
    enum Header: Int32 {
      case gzip = 31
      case zlib = 15
    }

    private static let piece = 1 << 16

    /// The bytes of all members of a file, one after the other.
    static func unpack(_ bytes: [UInt8], limit: Int, header: Header = .gzip) throws(GunzipFailure) -> [UInt8] {
      var stream = z_stream()
      let isReady = inflateInit2_(&stream, header.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
      guard isReady else { throw .damaged }
      defer { inflateEnd(&stream) }
      var input = bytes
      var output: [UInt8] = []
      let result = input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(clamping: input.count)
        return inflate(&stream, into: &output, limit: limit)
      }
      if let result { throw result }
      return output
    }

    private static func inflate(_ stream: inout z_stream, into output: inout [UInt8], limit: Int) -> GunzipFailure? {
      var buffer = [UInt8](repeating: 0, count: piece)
      while true {
        let (result, count) = buffer.withUnsafeMutableBufferPointer { buffer in
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          return (CZlib.inflate(&stream, Z_NO_FLUSH), buffer.count - Int(stream.avail_out))
        }
        guard output.count + count <= limit else { return .tooLarge }
        output += buffer[..<count]
        switch result {
        case Z_OK: continue
        case Z_STREAM_END:
          if stream.avail_in == 0 { return nil }
          guard inflateReset(&stream) == Z_OK else { return .damaged }
        default: return .damaged
        }
      }
    }
  }
#endif
