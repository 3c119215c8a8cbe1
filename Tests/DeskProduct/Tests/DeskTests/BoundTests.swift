import CrashReportModel
import Foundation
import Glibc
import NIOCore
import Testing

@testable import DeskServer
@testable import DeskStore

struct BoundTests {
  @Test func countsRequestsOfEachProject() throws {
    let rate = RequestRate(perMinute: 2)
    let start = ContinuousClock.now
    for project in ["a", "b", nil] {
      try rate.take(project, now: start)
      try rate.take(project, now: start)
      let refusal = #expect(throws: Refusal.self) { try rate.take(project, now: start + .seconds(6)) }
      #expect(refusal?.kind == .tooMany && refusal?.retryAfter == 24)
      try rate.take(project, now: start + .seconds(31))
      #expect(throws: Refusal.self) { try rate.take(project, now: start + .seconds(31)) }
    }
    let free = RequestRate(perMinute: nil)
    for _ in 0..<10_000 { try free.take("a", now: start) }
  }

  @Test func refusesASenderThatSendsTooOften() async throws {
    var configuration = Desk.Configuration()
    configuration.requestsPerMinute = 2
    configuration.clock = { [start = ContinuousClock.now] in start }
    let test = try TestDesk(configuration)
    #expect(await test.send(reportText()).status.code == 202)
    #expect(await test.sendEvent(pythonEvent()).status.code == 200)
    for answer in [await test.send(reportText(second: 1)), await test.sendEvent(pythonEvent())] {
      #expect(answer.status.code == 429 && answer.field("error") != nil)
      #expect(try #require(answer.headers[.retryAfter].flatMap { Int($0) }) > 0)
    }
    #expect(await test.answer("GET", "/").status.code == 200)
    #expect(try test.store.totals(now: .now).reports == 2)
  }

  /// What a client has sent before it is cut off: the desk closes the connection, and the test waits for that.
  @Test(arguments: [
    "", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ",
    "POST /api/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
    "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  ])
  func cutsOffAClientThatIsTooSlow(sent: String) async throws {
    var patience = Patience()
    (patience.head, patience.body) = (.milliseconds(300), .milliseconds(300))
    let test = try TestDesk()
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = Task { [desk = test.desk] in
      try await DeskServer.run(desk, host: "127.0.0.1", port: 0, patience: patience) { port.yield($0) }
    }
    var first = ports.makeAsyncIterator()
    let number = try #require(await first.next())
    let received = try await Self.onThread { Self.received(number, sent) }
    #expect(received.isEmpty == !sent.contains("healthz"))
    server.cancel()
    _ = try? await server.value
  }

  /// A client that holds a connection makes room for one more, and one that listens does not. It sends nothing, half a head,
  /// half a body, or nothing after an answer.
  @Test(arguments: [
    "", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ",
    "POST /api/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
    "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  ])
  func makesRoomForOneMoreConnection(sent: String) async throws {
    var patience = Patience()
    (patience.head, patience.body) = (.hours(1), .hours(1))
    let test = try TestDesk()
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = Task { [desk = test.desk] in
      try await DeskServer.run(desk, host: "127.0.0.1", port: 0, patience: patience, connections: 2) { port.yield($0) }
    }
    var first = ports.makeAsyncIterator()
    let number = try #require(await first.next())
    try await Self.onThread {
      let listener = try #require(DeskProcess.connected(number))
      let holder = try #require(DeskProcess.connected(number))
      defer { for descriptor in [listener, holder] { close(descriptor) } }
      try Self.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", to: listener, until: "event: mark")
      try Self.send(sent, to: holder, until: sent.contains("healthz") ? "ok\n" : "")
      // The desk may see this connection before the holder's, and close it for the holder's.
      let asked = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
      let answers = (0..<3).lazy.map { _ in Self.received(number, asked) }
      #expect(answers.contains { $0.hasSuffix("ok\n") })
      var byte: UInt8 = 0
      #expect(recv(holder, &byte, 1, Int32(MSG_DONTWAIT)) >= 0 || errno == ECONNRESET)
      #expect(recv(listener, &byte, 1, Int32(MSG_DONTWAIT)) != 0)
    }
    server.cancel()
    _ = try? await server.value
  }

  @Test func holdsOnlySoManyBytes() throws {
    let room = BodyRoom(limit: 100)
    let first = room.share()
    try first.take(60)
    do {
      let second = room.share()
      try second.take(30)
      let refusal = #expect(throws: Refusal.self) { try second.take(11) }
      #expect(refusal?.kind == .busy && refusal?.retryAfter != nil)
    }
    // What the second one held is free.
    try first.take(40)
    #expect(throws: Refusal.self) { try first.take(1) }
  }

  /// Of two bodies that are too much together, the desk refuses the later one, and takes it when the first one is stored.
  @Test(.timeLimit(.minutes(5))) func refusesABodyThatIsTooMuchAtATime() async throws {
    #expect(Desk.Configuration().bodiesLimit == 64 << 20)
    var configuration = Desk.Configuration()
    configuration.bodiesLimit = 20_000
    let test = try TestDesk(configuration)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = Task { [desk = test.desk] in
      try await DeskServer.run(desk, host: "127.0.0.1", port: 0) { port.yield($0) }
    }
    var first = ports.makeAsyncIterator()
    let number = try #require(await first.next())
    func request(_ letter: String) -> String {
      let text = reportText(message: String(repeating: letter, count: 8000))
      return """
        POST /api/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n\
        Content-Length: \(text.utf8.count)\r\n\r\n\(text)
        """
    }
    // Each is held twice: as it was sent, and as it was unpacked.
    let (long, other) = (request("x"), request("y"))
    let holder = try await Self.onThread {
      let holder = try #require(DeskProcess.connected(number))
      try Self.send(String(long.dropLast(100)), to: holder, until: "")
      return holder
    }
    defer { close(holder) }
    func held() async -> Int? {
      let metrics = await test.answer("GET", "/metrics").text
      return metrics.split(separator: "\n").first { $0.hasPrefix("crashsym_desk_body_bytes ") }
        .flatMap { Int($0.drop { $0 != " " }.dropFirst()) }
    }
    while try #require(await held()) < 8000 { try await yieldUnlessCancelled() }
    let refused = try await Self.onThread { Self.received(number, other) }
    #expect(refused.hasPrefix("HTTP/1.1 503") && refused.lowercased().contains("\r\nretry-after: 5\r\n"), "\(refused)")
    #expect(refused.contains("receiving too many bytes from all senders"))
    try await Self.onThread { try Self.send(String(long.suffix(100)), to: holder, until: "\"new\"") }
    while try #require(await held()) > 0 { try await yieldUnlessCancelled() }
    #expect(try await Self.onThread { Self.received(number, other) }.hasPrefix("HTTP/1.1 202"))
    server.cancel()
    _ = try? await server.value
  }

  /// Work that waits, on a thread of its own: the desk needs those of Swift's tasks.
  private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
  }

  private static func send(_ text: String, to descriptor: Int32, until words: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL)) }
      // A desk that has refused reads no more.
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    var (received, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while !words.isEmpty, !String(decoding: received, as: UTF8.self).contains(words) {
      let count = recv(descriptor, &part, part.count, 0)
      try #require(count > 0)
      received += part[..<count]
    }
  }

  /// All that comes until the desk closes the connection, or sends nothing for ten seconds.
  private static func received(_ port: Int, _ text: String) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    var (received, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while case let count = recv(descriptor, &part, part.count, 0), count > 0 { received += part[..<count] }
    return String(decoding: received, as: UTF8.self)
  }

  @Test func takesReportsThatArriveInAFolder() throws {
    let data = TemporaryFolder()
    let reports = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: reports.path, withIntermediateDirectories: true)
    func put(_ name: String, _ text: String) throws {
      try text.write(toFile: "\(reports.path)/\(name).part", atomically: false, encoding: .utf8)
      rename("\(reports.path)/\(name).part", "\(reports.path)/\(name)")
    }
    try put("before.json", reportText(function: "early"))
    try put("other.json", "no report")
    try put("secret", reportText(function: "linked"))
    symlink("secret", reports.path + "/link.json")
    let desk = try DeskProcess(data.path, ["--watch", reports.path])
    let port = desk.port
    func wait(for function: String) throws {
      // The list is told of each report; a page shows it then.
      let event = DispatchSemaphore(value: 0)
      DispatchQueue(label: function).async {
        var isFound = false
        _ = DeskProcess.received(port, "GET", "/events") { _ in
          guard !isFound, DeskProcess.answer(port, "GET", "/", "")?.body.contains(function) == true else { return }
          isFound = true
          event.signal()
        }
      }
      event.wait()
    }
    try wait(for: "early")
    try put("late.json", reportText(function: "late"))
    try wait(for: "late")
    let page = try #require(desk.answer("GET", "/")?.body)
    #expect(page.contains("2 groups") && !page.contains("linked"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: reports.path).count == 5)
    #expect(desk.end(SIGTERM) == 0)
  }
}
