import CrashReportModel
import Foundation
import HTTPTypes
import ReportSending
import Synchronization
import Testing

@testable import DeskServer
@testable import DeskStore

/// A chat's side of a hook.
private final class Receiver: Transport {
  struct Failing: Sendable {
    var times = 0
    var status = 500
  }

  let bodies = Mutex<[String]>([])
  let urls = Mutex<[String]>([])
  private let failing = Mutex(Failing())
  private let hasCome = DispatchSemaphore(value: 0)
  private let mayGo: DispatchSemaphore?

  init(mayGo: DispatchSemaphore? = nil) { self.mayGo = mayGo }

  func fail(_ times: Int) { failing.withLock { $0.times = times } }

  func send(_ request: ReportSending.HTTPRequest) throws(TransportFailure) -> ReportSending.HTTPResponse {
    mayGo?.wait()
    urls.withLock { $0.append(request.url) }
    bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
    defer { hasCome.signal() }
    let isFailing = failing.withLock { failing in
      failing.times -= 1
      return failing.times >= 0
    }
    return .init(status: isFailing ? 500 : 200)
  }

  /// The next request's body, when it is there.
  func next() -> String {
    hasCome.wait()
    return bodies.withLock { $0.last ?? "" }
  }
}

private func configuration(_ receiver: Receiver, _ file: String, pauses: [Double] = []) throws -> Desk.Configuration {
  var configuration = Desk.Configuration(names: ["desk.example"])
  configuration.hooks = try AlertHook.hooks(file)
  configuration.transport = { receiver }
  configuration.alertPauses = pauses
  return configuration
}

/// What the desk counts of its alerts, once it has counted so many.
private func counted(_ test: TestDesk, _ result: String, _ count: Int) async -> Bool {
  let line = "crashsym_desk_alerts_total{result=\"\(result)\"} "
  while true {
    let text = await test.answer("GET", "/metrics").text
    let found = text.split(separator: "\n").first { $0.hasPrefix(line) }?.dropFirst(line.count)
    guard let number = found.flatMap({ Int($0) }) else { return false }
    if number >= count { return number == count }
    await Task.yield()
  }
}

private let webhook = "webhook https://hooks.example/secret/path\n"

@Suite(.timeLimit(.minutes(2))) struct AlertTests {
  @Test func sendsANewGroupOnce() async throws {
    let receiver = Receiver()
    let test = try TestDesk(configuration(receiver, webhook))
    let fingerprint = try #require(await test.send(reportText()).field("fingerprint"))
    let body = try JSONParser.parse(Array(receiver.next().utf8)).object
    #expect(body["schema"] == "crashsym-alert/1".json && body["kind"] == "new".json)
    #expect(
      body["page"] == "https://desk.example/groups/\(fingerprint)".json && body["facts"] == "api, 1.0, web-1".json)
    for second in 1..<5 { _ = await test.send(reportText(second: second)) }
    _ = await test.send(reportText(function: "transfer", second: 9))
    #expect(receiver.next().contains("transfer"))
    #expect(receiver.bodies.withLock { $0.count } == 2)
    #expect(receiver.urls.withLock { $0[0] } == "https://hooks.example/secret/path")
    #expect(await counted(test, "sent", 2))
  }

  @Test func sendsARegressionAnHourLater() throws {
    let receiver = Receiver()
    let alerts = Alerts(
      try AlertHook.hooks(webhook), address: nil, transports: [receiver], pauses: [])
    alerts.listens(at: "http://127.0.0.1:8017")
    var report = ArrivedReport(
      id: ReportID(key: "12345678"), bytes: [], fingerprint: "2-0123456789abcdef", title: "trap", time: .now)
    report.version = "1.0"
    func alert(_ news: GroupNews, minute: Int64) throws -> Alert {
      var alert = try #require(Alert(Taken(.new, in: report.fingerprint, news: news), report))
      alert.time = Timestamp(microsecondsSince1970: 1_764_237_600_000_000 + minute * 60_000_000)
      return alert
    }
    alerts.send(try alert(.new, minute: 0))
    #expect(receiver.next().contains("\"page\":\"http://127.0.0.1:8017/groups/2-0123456789abcdef\""))
    alerts.send(try alert(.regressed, minute: 59))
    alerts.send(try alert(.regressed, minute: 60))
    #expect(receiver.next().contains("\"kind\":\"regressed\""))
    #expect(alerts.heldBack == 1 && receiver.bodies.withLock { $0.count } == 2)
  }

  @Test func decidesWhichEventsAreSent() throws {
    let folder = TemporaryFolder()
    let store = try SQLiteStore(DataFolder(folder.path)) { _, _ in throw StoreError("", "none") }
    var number = 0
    func take(_ version: String, isCount: Bool = false) throws -> GroupNews? {
      number += 1
      var report = ArrivedReport(
        id: ReportID(key: "number \(number)"), bytes: Array("\(number)".utf8), fingerprint: "a", title: "a",
        time: Timestamp(microsecondsSince1970: 1_764_237_600_000_000))
      (report.program, report.version, report.isCount) = ("api", version, isCount)
      return try store.take(report).news
    }
    #expect(try take("1.0") == .new)
    #expect(try take("1.0") == nil)
    #expect(try take("1.0", isCount: true) == .loop)
    #expect(try store.setState(.resolved(version: "2.0"), of: "a", now: .now))
    #expect(try take("1.0") == nil)
    #expect(try take("1.0", isCount: true) == nil)
    #expect(try take("2.0") == .regressed)
    #expect(try store.setState(.muted(until: nil), of: "a", now: .now))
    #expect(try take("2.1", isCount: true) == nil)
  }

  @Test func sendsAThresholdAndObeysTheKinds() async throws {
    let receiver = Receiver()
    let test = try TestDesk(configuration(receiver, "slack https://chat.example/hook threshold\n"))
    _ = await test.send(reportText())
    let id = String(repeating: "a", count: 32)
    let name = "<!channel> @here"
    _ = await test.push(id, pushText(program: name, load: 0.9, events: [(number: 1, state: "critical")]))
    let object = try JSONParser.parse(Array(receiver.next().utf8)).object
    let text = try #require(object["text"].flatMap(String.init(json:)))
    #expect(text.hasPrefix("*Critical*: cpu.load is critical: 90.0 %, threshold 80.0 %\n"))
    #expect(text.hasSuffix("\nhttps://desk.example/live/\(id)") && text.contains("&lt;!channel&gt;"))
    #expect(!text.contains("@here") && object["unfurl_links"] == false.json)
    // Another time of the same metric within the hour.
    _ = await test.push(id, pushText(program: name, load: 0.9, events: [(number: 2, state: "critical")]))
    #expect(await test.answer("GET", "/metrics").text.contains("crashsym_desk_alerts_held_back_total 1\n"))
    #expect(receiver.bodies.withLock { $0.count } == 1)
  }

  @Test func sendsATestByAFormOfItsOwnAlone() async throws {
    let receiver = Receiver()
    let test = try TestDesk(configuration(receiver, webhook))
    let page = await test.answer("GET", "/alerts")
    #expect(page.text.contains("hooks.example") && !page.text.contains("secret"))
    let form = try Form(page)
    #expect(await test.answer("POST", "/alerts/test", "", form.headers).status.code == 403)
    for _ in 0..<2 {
      let answer = await test.answer("POST", "/alerts/test", "proof=\(form.proof)", form.headers)
      #expect(answer.status.code == 303 && answer.headers[.location] == "/alerts")
      #expect(receiver.next().contains("\"kind\":\"test\""))
    }
    let none = try TestDesk()
    #expect(await none.answer("GET", "/alerts").text.contains("There is no hook."))
  }

  @Test func triesAgainAndShowsWhatFails() async throws {
    let receiver = Receiver()
    let test = try TestDesk(configuration(receiver, webhook, pauses: [0.01]))
    receiver.fail(1)
    _ = await test.send(reportText())
    #expect(await counted(test, "sent", 1))
    #expect(receiver.bodies.withLock { $0.count } == 2)
    #expect(!(await test.answer("GET", "/alerts").text.contains("it answered 500")))
    receiver.fail(2)
    _ = await test.send(reportText(function: "transfer"))
    #expect(await counted(test, "failed", 1))
    #expect(await test.answer("GET", "/alerts").text.contains("it answered 500"))
    #expect(await test.answer("GET", "/metrics").text.contains("crashsym_desk_alert_hooks_failing 1\n"))
  }

  /// A hook that does not answer keeps no report waiting, and no more than so many alerts.
  @Test func aSlowHookDelaysNoReport() async throws {
    let gate = DispatchSemaphore(value: 0)
    let test = try TestDesk(configuration(Receiver(mayGo: gate), webhook))
    for number in 0..<60 {
      #expect(await test.send(reportText(function: "f\(number)")).status.code == 202)
    }
    #expect(await counted(test, "dropped", 10))
    for _ in 0..<50 { gate.signal() }
    #expect(await counted(test, "sent", 50))
  }

  @Test(arguments: [
    ("mail https://a", "line 1: a line must begin with webhook or slack"),
    ("# all\n\nwebhook", "line 3: webhook must be followed by an http or https URL"),
    ("slack ftp://a", "line 1: slack must be followed by"),
    ("slack https://user:pass@a", "line 1: slack must be followed by"),
    ("slack https://a new regressed", "line 1: slack must be followed by"),
    ("webhook https://a new,often", "line 1: the kinds of alerts are new, regressed, crash-loop, threshold"),
    (String(repeating: "webhook https://a\n", count: 17), "line 17: there are more than 16 hooks"),
  ])
  func refusesAFile(text: String, reason: String) throws {
    let failure = #expect(throws: AlertFileError.self) { try AlertHook.hooks(text) }
    #expect(failure?.description.hasPrefix(reason) == true, "\(String(describing: failure))")
  }

  @Test func readsAFile() throws {
    let hooks = try AlertHook.hooks("# ours\r\n\n  webhook https://a/b?c=d \nslack http://b new,crash-loop\n")
    #expect(hooks.map(\.form) == [.webhook, .slack] && hooks[0].address.text == "https://a/b?c=d")
    #expect(hooks[0].wants(.threshold) && !hooks[1].wants(.threshold) && hooks[1].wants(.crashLoop))
    #expect(hooks.allSatisfy { $0.wants(.test) })
  }
}
