import Glibc

/// One end of the connection to the process that demangles.
struct NameChannel {
  /// A name and which demangler it is for; or a readable form, and what it cost.
  struct Message {
    var kind: UInt8
    /// Microseconds of processor time.
    var cost: UInt32 = 0
    var text = ""
  }

  let descriptor: Int32

  /// The kind, the cost and the size of the text behind them.
  private static let headSize = 9

  /// False if the other end is closed.
  func send(_ message: Message) -> Bool {
    let text = Array(message.text.utf8)
    return send([message.kind] + Self.bytes(of: message.cost) + Self.bytes(of: UInt32(text.count)) + text)
  }

  /// `nil` if the other end is closed.
  func receive() -> Message? {
    guard let head = receive(Self.headSize), let text = receive(Int(Self.number(head[5..<9]))) else { return nil }
    return Message(kind: head[0], cost: Self.number(head[1..<5]), text: String(decoding: text, as: UTF8.self))
  }

  private static func bytes(of number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno != EINTR { return false }
      sent += max(0, count)
    }
    return true
  }

  private func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var received = 0
    while received < count {
      let size = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + received, count - received) }
      if size == 0 || (size < 0 && errno != EINTR) { return nil }
      received += max(0, size)
    }
    return bytes
  }
}
