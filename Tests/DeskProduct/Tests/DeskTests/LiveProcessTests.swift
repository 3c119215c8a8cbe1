import CrashReportModel
import Foundation
import Glibc
import Synchronization
import Testing
import Watcher
import WatcherDesk

@testable import DeskStore

/// A metric that is what the test says.
private final class Level: Watcher.MetricProvider {
  let metric = Watcher.Metric("test.level", unit: .ratio)
  private let value = Mutex(0.5)

  func set(_ level: Double) { value.withLock { $0 = level } }

  func sample() -> Watcher.Sample {
    let level = value.withLock { $0 }
    return Watcher.Sample(.level((try? Watcher.Quantity(ratio: level)) ?? .zero), at: 0)
  }
}

/// A program's side of a live view.
private struct LiveProgramUnderTest {
  let level = Level()
  let manager: Watcher.MetricManager
  let events = Watcher.EventProvider()
  let times = Watcher.ResponseTimes()

  init() {
    manager = Watcher.MetricManager(metricProvider: level, threshold: 0.8, refreshFrequency: 0.05)
    events.register(manager, for: manager.metric)
    manager.start()
  }

  func reporter(_ port: Int, token: String? = nil) throws -> Watcher.DeskReporter {
    var settings = Watcher.DeskReporter.Configuration(
      url: "http://127.0.0.1:\(port)", token: token, program: "prober", version: "3.1")
    settings.refreshFrequency = 0.1
    return try Watcher.DeskReporter(
      settings, events: events, managers: [manager], statistics: .init(times: times))
  }
}

/// Programs that push to `crashsym desk` as a process.
struct LiveProcessTests {
  /// The address of the only program's page, once its page has these words.
  private static func page(_ desk: DeskProcess, with words: String) -> String {
    while true {
      let list = desk.answer("GET", "/live")?.body ?? ""
      if let match = list.firstMatch(of: /href="(\/live\/[0-9a-f]{32})"/) {
        let path = String(match.1)
        if desk.answer("GET", path)?.body.contains(words) == true { return path }
      }
      usleep(20_000)
    }
  }

  @Test(.timeLimit(.minutes(2))) func showsAProgramAndSetsItsThreshold() throws {
    let folder = TemporaryFolder()
    let desk = try DeskProcess(folder.path)
    let token = try Tokens(folder.path).make("live")
    let key = folder.path + "/key"
    try token.write(toFile: key, atomically: true, encoding: .utf8)
    let program = LiveProgramUnderTest()
    program.times.record("GET /price", duration: .milliseconds(20))
    let reporter = try program.reporter(desk.port, token: "file:\(key)")
    reporter.start()
    let path = Self.page(desk, with: "50.0 %")
    #expect(desk.answer("GET", path)?.body.contains("GET /price") == true)
    program.level.set(0.9)
    _ = Self.page(desk, with: "test.level is critical")
    #expect(desk.answer("GET", path)?.body.contains("CRITICAL") == true)

    let received = try #require(DeskProcess.received(desk.port, "GET", path))
    let cookie = try #require(received.firstMatch(of: /(?i)set-cookie: ([^;]+);/)).1
    let proof = try #require(received.firstMatch(of: /name="proof" value="([^"]+)"/)).1
    let body = "proof=\(proof)&metric=test.level&threshold=0.95"
    let answer = DeskProcess.received(
      desk.port, "POST", path + "/threshold", body,
      headers: ["Content-Type": "application/x-www-form-urlencoded", "Cookie": String(cookie)])
    #expect(answer?.hasPrefix("HTTP/1.1 303") == true)
    while program.manager.threshold != 0.95 { usleep(20_000) }
    _ = Self.page(desk, with: "95.0 % and more")
    reporter.stop()
    #expect(desk.answer("GET", path)?.body.contains("ended ") == true)
    #expect(reporter.trouble == nil)
    #expect(desk.end(SIGTERM) == 0)
  }

  @Test(.timeLimit(.minutes(2))) func goesOnWhileTheDeskIsGone() throws {
    let folder = TemporaryFolder()
    let desk = try DeskProcess(folder.path)
    let program = LiveProgramUnderTest()
    let reporter = try program.reporter(desk.port)
    reporter.start()
    _ = Self.page(desk, with: "50.0 %")
    #expect(desk.end(SIGKILL) == SIGKILL)
    while reporter.trouble == nil { usleep(20_000) }
    let start = ContinuousClock.now
    reporter.stop()
    #expect(start.duration(to: .now) < .seconds(1))
  }

  @Test func refusesAnInvalidAddressAndToken() throws {
    let program = LiveProgramUnderTest()
    for url in ["", "desk", "ftp://a", "http://user:pass@a"] {
      let settings = Watcher.DeskReporter.Configuration(url: url, program: "a")
      #expect(throws: Watcher.DeskReporter.ConfigurationError.self) {
        try Watcher.DeskReporter(settings, events: program.events, managers: [], statistics: .init())
      }
    }
    for token in ["plain", "env:NO_SUCH_VARIABLE", "file:/no/such/file"] {
      #expect(throws: Watcher.DeskReporter.ConfigurationError.self) { try program.reporter(1, token: token) }
    }
  }

  /// A browser that connects and never reads does not keep its connection.
  @Test(.timeLimit(.minutes(3))) func closesTheConnectionOfAReaderThatStops() throws {
    let folder = TemporaryFolder()
    let desk = try DeskProcess(folder.path)
    let long = String(repeating: "n", count: 100)
    func push(_ number: Int) -> String {
      let metrics = (0..<60).map {
        #"{"name":"\#(long)\#($0)","unit":"count","value":\#(number),"threshold":1,"nominal":"lower","state":"critical"}"#
      }
      return #"{"schema":"crashkit-live/1","program":"a","metrics":[\#(metrics.joined(separator: ","))]}"#
    }
    let id = String(repeating: "a", count: 32)
    #expect(desk.answer("POST", "/api/live/\(id)", push(0))?.status == 200)
    let descriptor = try #require(DeskProcess.connected(desk.port, receiveBuffer: 2048))
    defer { close(descriptor) }
    let request = Array("GET /live/\(id)/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    #expect(send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
    func metric(_ name: String) -> Int? {
      let line = desk.answer("GET", "/metrics")?.body.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      return line?.split(separator: " ").last.flatMap { Int($0) }
    }
    var number = 0
    while metric("crashsym_desk_live_given_up_total") != 1 {
      number += 1
      _ = desk.answer("POST", "/api/live/\(id)", push(number))
      usleep(200_000)
    }
    #expect(metric("crashsym_desk_live_listeners") == 0)
    // The desk has closed it: what it sent before is all that there is.
    var part = [UInt8](repeating: 0, count: 65_536)
    while recv(descriptor, &part, part.count, 0) > 0 {}
    #expect(desk.end(SIGTERM) == 0)
  }
}
