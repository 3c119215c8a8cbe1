import CCurl

/// Collects an answer, which libcurl passes on in pieces by calls of C functions.
final class Answer {
  /// At most this many bytes of a body, and at most this many headers, are kept.
  private static let largestBody = 64 << 10
  private static let mostHeaders = 200

  private(set) var headers: [String: String] = [:]
  private(set) var body: [UInt8] = []
  /// Whether the answer had more than is kept.
  private(set) var isFull = false

  /// Any other number than that of the bytes ends the request.
  static let takeBody: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes, size, count, user in
    guard let user, let bytes else { return 0 }
    let answer = Unmanaged<Answer>.fromOpaque(user).takeUnretainedValue()
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    answer.body += piece.prefix(largestBody - answer.body.count)
    answer.isFull = answer.body.count == largestBody
    return answer.isFull ? 0 : size * count
  }

  static let takeHeader: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes, size, count, user in
    guard let user, let bytes else { return 0 }
    let answer = Unmanaged<Answer>.fromOpaque(user).takeUnretainedValue()
    answer.take(line: String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self))
    return size * count
  }

  private func take(line: String) {
    // Of a proxy's answer and of a first answer such as 100 only the last one's headers count.
    if line.hasPrefix("HTTP/") { headers = [:] }
    guard let colon = line.firstIndex(of: ":"), headers.count < Self.mostHeaders else { return }
    let value = line[line.index(after: colon)...].drop { $0 == " " }.prefix { !$0.isNewline }
    headers[line[..<colon].lowercased()] = String(value)
  }
}
