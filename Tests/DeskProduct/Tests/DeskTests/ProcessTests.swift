import CrashReportModel
import Foundation
import Glibc
import Synchronization
import Testing

@testable import DeskServer
@testable import DeskStore

/// `crashsym desk` as a process.
final class DeskProcess {
  /// Beside the tests' own program.
  static let program =
    URL(fileURLWithPath: try! FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    .deletingLastPathComponent().appendingPathComponent("crashsym").path

  private let process = Process()
  let port: Int

  init(_ folder: String, _ more: [String] = []) throws {
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = ["desk", "--listen", "127.0.0.1:0", "--data", folder, "--no-cache"] + more
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      let bytes = output.fileHandleForReading.readData(ofLength: 1)
      try #require(!bytes.isEmpty, "the desk ended: \(line)")
      line += String(decoding: bytes, as: UTF8.self)
    }
    port = try #require(line.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) })
  }

  var id: Int32 { process.processIdentifier }

  func end(_ signal: Int32) -> Int32 {
    kill(id, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// The answer's status and body; `nil` if there is no whole answer.
  func answer(_ method: String, _ path: String, _ body: String = "") -> (status: Int, body: String)? {
    Self.answer(port, method, path, body)
  }

  static func answer(_ port: Int, _ method: String, _ path: String, _ body: String) -> (status: Int, body: String)? {
    guard let text = received(port, method, path, body), let end = text.range(of: "\r\n\r\n"),
      text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3))
    else { return nil }
    let answer = text[end.upperBound...]
    let length = text[..<end.lowerBound].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) }
    return length == answer.utf8.count ? (status, String(answer)) : nil
  }

  /// All that comes until the desk closes the connection; `nil` if it cannot be had.
  static func received(
    _ port: Int, _ method: String, _ path: String, _ body: String = "",
    headers: [String: String] = ["Content-Type": "application/json"], onPart: (String) -> Void = { _ in }
  ) -> String? {
    guard let descriptor = connected(port) else { return nil }
    defer { close(descriptor) }
    let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    let request = Array(
      """
      \(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(fields)\
      Content-Length: \(body.utf8.count)\r\n\r\n\(body)
      """.utf8)
    guard Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return nil
    }
    var received: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &part, part.count, 0)
      guard count > 0 else { break }
      received += part[..<count]
      onPart(String(decoding: received, as: UTF8.self))
    }
    return String(decoding: received, as: UTF8.self)
  }

  /// A connection to a desk; `nil` if there is none.
  static func connected(_ port: Int, receiveBuffer: Int32? = nil) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}

struct ProcessTests {
  @Test func servesAndEnds() throws {
    let folder = TemporaryFolder()
    let desk = try DeskProcess(folder.path)
    #expect(desk.answer("GET", "/healthz")?.body == "ok\n")
    // The body's length alone.
    let head = try #require(DeskProcess.received(desk.port, "HEAD", "/healthz"))
    #expect(head.hasPrefix("HTTP/1.1 200") && head.lowercased().contains("content-length: 3\r\n"))
    #expect(head.hasSuffix("\r\n\r\n"))
    #expect(desk.answer("POST", "/api/reports", reportText())?.status == 202)
    #expect(desk.answer("GET", "/")?.body.contains("book_price") == true)
    let long = String(repeating: "x", count: (8 << 20) + 1)
    #expect([413, nil].contains(desk.answer("POST", "/api/reports", long)?.status))
    #expect(desk.answer("GET", "/healthz")?.status == 200)
    #expect(desk.end(SIGTERM) == 0)
  }

  @Test func showsANewCrashToListeners() throws {
    let folder = TemporaryFolder()
    let desk = try DeskProcess(folder.path)
    let answer = try #require(desk.answer("POST", "/api/reports", reportText()))
    let fingerprint = try #require(
      (try? JSONParser.parse(Array(answer.body.utf8)).object)?["fingerprint"].flatMap(String.init(json:)))
    let port = desk.port
    let reader = DispatchQueue(label: "events")
    let received = Mutex("")
    let (event, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    reader.async {
      var isSeen = false
      let text = DeskProcess.received(port, "GET", "/events") { text in
        // The desk listens to this client once its first line is there.
        if text.contains("retry: 3000"), !text.contains("event: group") {
          _ = DeskProcess.answer(port, "POST", "/api/reports", reportText(second: text.utf8.count))
        } else if text.contains("event: group"), !isSeen {
          isSeen = true
          event.signal()
        }
      }
      received.withLock { $0 = text ?? "" }
      end.signal()
    }
    event.wait()
    // The end of the desk ends the connection.
    #expect(desk.end(SIGTERM) == 0)
    end.wait()
    let text = received.withLock { $0 }
    #expect(text.contains("event: mark\ndata: "))
    #expect(text.contains("text/event-stream") && text.contains("event: group\ndata: \(fingerprint)\n\n"))
  }

  @Test func removesOldReportsAtItsStart() throws {
    let folder = TemporaryFolder()
    let ids: [String]
    do {
      let desk = try DeskProcess(folder.path)
      ids = try (0..<3).map { second in
        let answer = try #require(desk.answer("POST", "/api/reports", reportText(second: second)))
        let id = (try? JSONParser.parse(Array(answer.body.utf8)).object)?["id"].flatMap(String.init(json:))
        return try #require(id)
      }
      #expect(desk.end(SIGTERM) == 0)
    }
    let desk = try DeskProcess(folder.path, ["--keep-reports", "1"])
    func status(_ id: String) -> Int? { desk.answer("GET", "/reports/\(id)")?.status }
    // The work begins when the desk listens: it ends with the oldest report's file.
    while status(ids[1]) != 404 { usleep(20_000) }
    #expect(status(ids[0]) == 404 && status(ids[2]) == 200)
    #expect(desk.end(SIGTERM) == 0)
  }

  /// Reports are sent from several threads, and the desk is killed in the middle, again and again.
  @Test func losesNothingThatItAccepted() throws {
    let folder = TemporaryFolder()
    var accepted: Set<String> = []
    let rounds = ProcessInfo.processInfo.environment["DESK_KILLS"].flatMap { Int($0) } ?? 3
    for round in 0..<rounds {
      let desk = try DeskProcess(folder.path)
      try Self.check(desk, has: accepted)
      let last = Int.random(in: 1...30)
      accepted.formUnion(Self.send(desk, round: round, killAfter: last))
      _ = desk.end(SIGKILL)
    }
    // Without its database, the desk has the reports still.
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: "\(folder.path)/desk.sqlite\(suffix)")
    }
    let desk = try DeskProcess(folder.path)
    try Self.check(desk, has: accepted)
    #expect(desk.end(SIGINT) == 0)
  }

  /// The ids of the reports that were answered with 202.
  private static func send(_ desk: DeskProcess, round: Int, killAfter last: Int) -> Set<String> {
    let accepted = Mutex<Set<String>>([])
    let (port, id) = (desk.port, desk.id)
    DispatchQueue.concurrentPerform(iterations: 3) { sender in
      for number in 0... {
        let text = reportText(function: "f\(number % 5)", message: "\(round) \(sender) \(number)")
        guard let answer = DeskProcess.answer(port, "POST", "/api/reports", text) else { return }
        guard answer.status == 202,
          let key = (try? JSONParser.parse(Array(answer.body.utf8)).object)?["id"].flatMap(String.init(json:))
        else {
          Issue.record("answered \(answer)")
          return
        }
        let count = accepted.withLock { accepted in
          accepted.insert(key)
          return accepted.count
        }
        if count == last { kill(id, SIGKILL) }
      }
    }
    return accepted.withLock { $0 }
  }

  private static func check(_ desk: DeskProcess, has accepted: Set<String>) throws {
    for id in accepted {
      #expect(desk.answer("GET", "/reports/\(id)/raw.json")?.status == 200)
    }
    let metrics = try #require(desk.answer("GET", "/metrics")?.body)
    let line = try #require(metrics.split(separator: "\n").first { $0.hasPrefix("crashsym_desk_reports ") })
    let count = try #require(line.split(separator: " ").last.flatMap { Int($0) })
    // A report whose answer was lost may be there too: one for each sender and kill.
    #expect(count >= accepted.count)
  }

  @Test func wantsATokenBeforeOthersCanConnect() throws {
    let folder = TemporaryFolder()
    let refused = try Self.run(["desk", "--listen", "0.0.0.0:0", "--data", folder.path])
    #expect(refused.status == 64 && refused.errors.contains("--add-token"))
    let made = try Self.run(["desk", "--add-token", "api", "--data", folder.path])
    #expect(made.status == 0 && made.output.count == 49)
    #expect(try Tokens(folder.path).contains(String(made.output.dropLast())))
    #expect(try Self.run(["desk", "--add-token", "a b", "--data", folder.path]).status == 64)
    #expect(try Self.run(["desk", "--remove-token", "api", "--data", folder.path]).status == 0)
    #expect(try Self.run(["desk", "--remove-token", "api", "--data", folder.path]).status == 66)
    #expect(try Tokens(folder.path).isEmpty)
  }

  @Test func takesReportsFromSend() throws {
    let folder = TemporaryFolder()
    let crashes = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: crashes.path, withIntermediateDirectories: true)
    try reportText().write(
      toFile: crashes.path + "/20251127T100000000Z-17-crashReport.json", atomically: true, encoding: .utf8)
    let desk = try DeskProcess(folder.path)
    let token = try Tokens(folder.path).make("api")
    let key = crashes.path + "/key"
    try token.write(toFile: key, atomically: true, encoding: .utf8)
    let destination = ["send", "--to", "desk:http://127.0.0.1:\(desk.port)", "--no-cache"]
    let without = try Self.run(destination + [crashes.path])
    #expect(without.status == 75, "\(without.errors)")
    let sent = try Self.run(destination + ["--key", "file:\(key)", crashes.path], retry: crashes.path)
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(desk.answer("GET", "/")?.body.contains("book_price") == true)
    #expect(desk.end(SIGTERM) == 0)
  }

  /// Runs crashsym. `retry` is a folder whose note of what was sent is removed first: else it waits after a failure.
  private static func run(
    _ arguments: [String], retry: String? = nil
  ) throws -> (status: Int32, output: String, errors: String) {
    if let retry {
      for name in try FileManager.default.contentsOfDirectory(atPath: retry) where name.hasPrefix(".sent") {
        try FileManager.default.removeItem(atPath: "\(retry)/\(name)")
      }
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: DeskProcess.program)
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let (text, complaints) = (
      output.fileHandleForReading.readDataToEndOfFile(), errors.fileHandleForReading.readDataToEndOfFile()
    )
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: complaints, as: UTF8.self)
    )
  }
}
