import Glibc
import SymbolStore

/// A file in pieces of one size, each known by its hash. No more than one piece is in memory.
struct SentryChunks {
  private let descriptor: Int32
  private let chunkSize: Int
  /// Of the whole file.
  let hash: String
  /// Of each chunk, in their order.
  let hashes: [String]
  private let places: [String: Int]

  /// Reads the file once. Nil if it cannot be read.
  init?(_ file: StoredFile, chunkSize: Int) {
    descriptor = file.descriptor
    self.chunkSize = chunkSize
    guard var whole = SHA1() else { return nil }
    var hashes: [String] = []
    var offset = 0
    while offset < file.size {
      guard let bytes = Self.bytes(file.descriptor, at: offset, chunkSize), !bytes.isEmpty,
        let hash = SHA1.digits(of: bytes)
      else { return nil }
      whole.add(bytes)
      hashes.append(hash)
      offset += bytes.count
    }
    self.hashes = hashes
    hash = whole.digits()
    places = Dictionary(hashes.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// The content of a chunk; nil if the file has none of this hash, or if it cannot be read.
  func content(_ hash: String) -> [UInt8]? {
    places[hash].flatMap { Self.bytes(descriptor, at: $0 * chunkSize, chunkSize) }
  }

  private static func bytes(_ descriptor: Int32, at offset: Int, _ count: Int) -> [UInt8]? {
    var isRead = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
        if got < 0 && errno == EINTR { continue }
        isRead = got >= 0
        if got <= 0 { break }
        filled += got
      }
    }
    return isRead ? bytes : nil
  }
}

/// Chunks as `multipart/form-data` (RFC 7578): the name of each part's file is its hash.
struct SentryForm {
  private let boundary: String
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  /// - Parameter hash: The hash of the file. It is the boundary, since no file contains its own hash.
  init(hash: String) { boundary = "crashsym-\(hash)" }

  var type: String { "multipart/form-data; boundary=\(boundary)" }

  mutating func add(_ chunk: [UInt8], hash: String) {
    bytes += Array(
      """
      --\(boundary)\r
      Content-Disposition: form-data; name="file"; filename="\(hash)"\r
      Content-Type: application/octet-stream\r
      \r

      """.utf8)
    bytes += chunk
    bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    count += 1
  }

  /// Behind the last chunk.
  mutating func end() { bytes += Array("--\(boundary)--\r\n".utf8) }
}
