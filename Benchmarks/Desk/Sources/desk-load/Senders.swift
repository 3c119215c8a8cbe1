import Foundation
import Glibc
import Synchronization

/// Sends reports to a desk on several connections: on each, the next one when the one before is answered.
final class Senders: Sendable {
  private let reports: Reports
  private let port: UInt16
  private let numbers: Range<Int>
  private let next: Atomic<Int>
  private let times = Mutex<[Duration]>([])
  private let failures = Mutex<[String]>([])

  init(_ reports: Reports, _ numbers: Range<Int>, port: UInt16) {
    (self.reports, self.numbers, self.port) = (reports, numbers, port)
    next = Atomic(numbers.lowerBound)
  }

  /// How long each took from the request's first byte to the answer's last, in order.
  func run(connections: Int) throws -> [Duration] {
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<connections {
      Thread.detachNewThread {
        do {
          try self.send()
        } catch {
          self.failures.withLock { $0.append("\(error)") }
        }
        ended.signal()
      }
    }
    for _ in 0..<connections { ended.wait() }
    if let failure = failures.withLock({ $0.first }) { throw Failure(failure) }
    return times.withLock { $0.sorted() }
  }

  private func send() throws {
    let descriptor = try connected()
    defer { close(descriptor) }
    var mine: [Duration] = []
    while true {
      let number = next.add(1, ordering: .relaxed).oldValue
      guard number < numbers.upperBound else { break }
      let body = reports.report(number)
      let head = """
        POST /api/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
        Content-Length: \(body.count)\r\n\r\n
        """
      let start = ContinuousClock.now
      try write(Array(head.utf8) + body, descriptor)
      let status = try answer(descriptor)
      mine.append(.now - start)
      guard status == 202 else { throw Failure("the desk answered \(status)") }
    }
    times.withLock { $0 += mine }
  }

  private func connected() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Failure("no connection") }
    return descriptor
  }

  private func write(_ bytes: [UInt8], _ descriptor: Int32) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure("the desk closed the connection") }
      sent += count
    }
  }

  /// Reads a whole answer. Its status.
  private func answer(_ descriptor: Int32) throws -> Int {
    var (received, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while true {
      let count = recv(descriptor, &part, part.count, 0)
      guard count > 0 else { throw Failure("the desk closed the connection") }
      received += part[..<count]
      let text = String(decoding: received, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let fields = text[..<end.lowerBound].lowercased().split(separator: "\r\n")
      guard let length = fields.first(where: { $0.hasPrefix("content-length: ") }).flatMap({ Int($0.dropFirst(16)) }),
        let status = Int(text.dropFirst(9).prefix(3))
      else { throw Failure("not an answer: \(text)") }
      if text[end.upperBound...].utf8.count >= length { return status }
    }
  }
}
