import CrashReportModel
import Foundation
import Testing

@testable import DeskServer
@testable import DeskStore

private let first = String(repeating: "a", count: 32)
private let second = String(repeating: "b", count: 32)

struct LiveTests {
  @Test func listsProgramsAndShowsOne() async throws {
    let test = try TestDesk()
    #expect(await test.answer("GET", "/live").text.contains("diagdemo watch --desk URL"))
    let answer = await test.push(first, pushText())
    #expect(answer.status.code == 200 && answer.text == "{\"events\":0}\n")
    _ = await test.push(second, pushText(program: "worker", load: 0.9))
    let list = await test.answer("GET", "/live").text
    #expect(list.contains("2 programs") && list.contains("1 critical") && list.contains("CRITICAL"))
    // What is critical comes first.
    let (calm, busy) = (try #require(list.range(of: ">api<")), try #require(list.range(of: ">worker<")))
    #expect(busy.lowerBound < calm.lowerBound)
    let page = await test.answer("GET", "/live/\(second)").text
    for words in ["worker", "web-1", "90.0 %", "80.0 % and more", "no device", "GET /price", "400.0 ms", "123.0 MB"] {
      #expect(page.contains(words), "\(words)")
    }
    #expect(page.contains("class=\"gauge critical\"") && page.contains("cpu.load is 90.0 %, critical from 80.0 % up"))
    #expect(!(await test.answer("GET", "/live/\(first)").text.contains("class=\"gauge critical\"")))
  }

  @Test(arguments: [
    ("", 422), ("[]", 422), ("{}", 422), (#"{"schema":"crashkit-live/2","program":"a"}"#, 422),
    (#"{"schema":"crashkit-live/1"}"#, 422), (#"{"schema":"crashkit-live/1","program":""}"#, 422),
    (String(repeating: " ", count: 262_145), 413),
  ])
  func refusesABodyThatIsNotAPush(body: String, status: Int) async throws {
    let test = try TestDesk()
    let answer = await test.push(first, body)
    #expect(answer.status.code == status && answer.field("error")?.isEmpty == false)
    #expect(test.desk.programs.programs.all.isEmpty)
  }

  @Test func refusesOtherTypesIdsAndSendersWithoutAToken() async throws {
    let test = try TestDesk()
    #expect(await test.push(first, pushText(), ["Content-Type": "text/plain"]).status.code == 415)
    for id in ["a", "../\(first)", first.uppercased(), first + "a"] {
      #expect(await test.push(id, pushText()).status.code == 404, "\(id)")
    }
    let token = try test.tokens.make("api")
    #expect(await test.push(first, pushText()).status.code == 401)
    #expect(await test.push(first, pushText(), ["Authorization": "Bearer \(token)"]).status.code == 200)
    #expect(await test.answer("GET", "/live/\(second)").status.code == 404)
    #expect(await test.answer("GET", "/live/\(second)/events").status.code == 404)
  }

  @Test func leavesOutMalformedParts() async throws {
    let test = try TestDesk()
    let metrics = [
      "1", "{}", #"{"name":"a"}"#, #"{"name":"b","unit":"furlongs"}"#, #"{"name":"c","unit":"count","value":"nan"}"#,
      #"{"name":"d","unit":"count","value":1e999,"threshold":1e305}"#,
    ]
    let body = """
      {"schema":"crashkit-live/1","program":"a","refresh":-5,"metrics":[\(metrics.joined(separator: ","))],\
      "events":[{"number":0},{"number":-1,"metric":"a","unit":"count","state":"critical"},3],"endpoints":[{"name":"a"}]}
      """
    #expect(await test.push(first, body).status.code == 200)
    let program = try #require(test.desk.programs.programs.program(first))
    #expect(program.last.metrics.map(\.name) == ["c", "d"])
    #expect(program.last.metrics.allSatisfy { $0.value == nil && $0.threshold == nil })
    #expect(program.events.isEmpty && program.last.endpoints.isEmpty && program.last.pace == 0.1)
  }

  @Test func countsEventsUntilAPersonSeesThem() async throws {
    let test = try TestDesk()
    let events = [(number: 1, state: "critical"), (number: 2, state: "nominal")]
    #expect(await test.push(first, pushText(events: events)).text == "{\"events\":2}\n")
    // An answer that was lost: the program sends them again, and one more.
    let more = events + [(number: 3, state: "critical")]
    #expect(await test.push(first, pushText(events: more)).text == "{\"events\":3}\n")
    let badge = "<span class=\"badge\" id=\"unread\">3</span>"
    #expect(await test.answer("GET", "/").text.contains(badge))
    #expect(await test.answer("GET", "/live").text.contains("3 new events"))
    let page = await test.answer("GET", "/live/\(first)").text
    #expect(page.components(separatedBy: "cpu.load is critical").count == 3)
    #expect(page.components(separatedBy: "<li class=\"nominal\">").count == 2 && !page.contains("no-nominal"))
    #expect(await test.answer("GET", "/live/\(first)?nominal=off").text.contains("<div class=\"no-nominal\">"))
    let inbox = await test.answer("GET", "/").text
    #expect(!inbox.contains(badge) && inbox.contains("id=\"unread\" hidden"))
  }

  @Test func keepsABoundedNumberOfEventsAndPrograms() async throws {
    let test = try TestDesk()
    for start in stride(from: 1, to: 1000, by: 100) {
      _ = await test.push(first, pushText(events: (start..<start + 100).map { (number: $0, state: "critical") }))
    }
    let program = try #require(test.desk.programs.programs.program(first))
    #expect(program.events.map(\.number) == Array((801...1000).reversed()))
    func id(_ number: Int) -> String { String(repeating: "0", count: 28) + String(number + 1000) }
    for number in 0..<299 { #expect(await test.push(id(number), pushText()).status.code == 200) }
    #expect(await test.push(id(299), pushText()).status.code == 503)
    #expect(await test.push(id(298), pushText(ended: true)).status.code == 200)
    #expect(await test.push(id(299), pushText()).status.code == 200)
    #expect(test.desk.programs.programs.program(id(298)) == nil)
  }

  @Test func marksSilentProgramsAndForgetsThem() throws {
    let programs = LivePrograms()
    let push = try LivePush(Array(pushText().utf8))
    let start = Timestamp.now
    func after(_ seconds: Int64) -> Timestamp {
      Timestamp(microsecondsSince1970: start.microseconds + seconds * 1_000_000)
    }
    _ = try programs.take(push, of: first, at: start)
    programs.look(after(9))
    #expect(programs.program(first)?.isSilent == false)
    programs.look(after(11))
    #expect(programs.program(first)?.isSilent == true)
    _ = try programs.take(push, of: first, at: after(12))
    #expect(programs.program(first)?.isSilent == false)
    programs.look(after(3_700))
    #expect(programs.program(first) == nil)
  }

  // MARK: Thresholds

  @Test func handsAnEditedThresholdOnUntilTheProgramHasIt() async throws {
    let test = try TestDesk()
    _ = await test.push(first, pushText())
    let path = "/live/\(first)"
    let form = try Form(await test.answer("GET", path))
    func body(_ threshold: String, metric: String = "cpu.load") -> String {
      let text = threshold.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      return "proof=\(form.proof)&metric=\(metric)&threshold=\(text)"
    }
    for wrong in ["1.5", "-1", "", "101 %", "nan", "0x1", "one"] {
      let answer = await test.answer("POST", path + "/threshold", body(wrong), form.headers)
      #expect(answer.status.code == 422, "\(wrong)")
    }
    #expect(await test.answer("POST", path + "/threshold", "metric=cpu.load", form.headers).status.code == 403)
    let unknown = await test.answer("POST", path + "/threshold", body("0.5", metric: "other"), form.headers)
    #expect(unknown.status.code == 404)
    let answer = await test.answer("POST", path + "/threshold", body("40 %"), form.headers)
    #expect(answer.status.code == 303 && answer.headers[.location] == path)
    #expect(await test.answer("GET", path).text.contains("(40.0 % wanted)"))
    // The answer repeats it until the program says that it has it.
    for _ in 0..<2 {
      let pushed = await test.push(first, pushText())
      #expect(pushed.text.contains("\"thresholds\":[{\"metric\":\"cpu.load\",\"threshold\":0.4}]"))
    }
    let edit = try #require(try JSONParser.parse(await test.push(first, pushText()).body).object["edit"])
    let number = try #require(Int(json: edit))
    let done = await test.push(first, pushText(threshold: 0.4, edit: number))
    #expect(done.text == "{\"events\":0}\n")
    let page = await test.answer("GET", path).text
    #expect(page.contains("class=\"gauge critical\"") && !page.contains("wanted"))
  }

  @Test(
    arguments: [
      ("0.5", .ratio, 0.5), ("50%", .ratio, 0.5), ("1", .ratio, 1), ("2", .ratio, nil), ("1e9", .bytes, 1e9),
      ("5%", .bytes, nil), ("-1", .seconds, nil), ("inf", .count, nil), ("1_000", .count, nil), ("٣", .count, nil),
    ] as [(String, LivePush.Unit, Double?)])
  func readsThresholds(text: String, unit: LivePush.Unit, value: Double?) {
    #expect(ThresholdText.read(text, unit) == value)
  }

  // MARK: What browsers hear

  /// The texts that a browser got, without those of its first look.
  private static func heard(_ events: ListenedEvents) async -> [String] {
    var texts: [String] = []
    for await text in events.texts { texts.append(text) }
    return texts
  }

  @Test func sendsOnlyChanges() async throws {
    let test = try TestDesk()
    let feed = test.desk.programs.feed
    _ = await test.push(first, pushText())
    _ = await test.push(second, pushText(program: "worker"))
    feed.turn(.now)
    let (all, one, slow) = (
      try feed.listen(nil, isSlow: false), try feed.listen(first, isSlow: false), try feed.listen(nil, isSlow: true)
    )
    _ = await test.push(first, pushText(load: 0.95, events: [(number: 1, state: "critical")]))
    for _ in 0..<10 { feed.turn(.now) }
    #expect(feed.listeners.count == 3)
    // What is let go here ends the streams.
    var texts: [[String]] = []
    for events in [all, one, slow] {
      var list: [String] = []
      var iterator = events.texts.makeAsyncIterator()
      while list.count < 3, let text = await iterator.next() { list.append(text) }
      texts.append(list)
    }
    // The state at first, then the alarm at once, then the change.
    for list in texts {
      #expect(list[0].hasPrefix("event: parts\ndata: "))
      #expect(list.contains { $0.hasPrefix("event: critical\ndata: {\"program\":\"api on web-1\"") })
    }
    #expect(texts[0].last?.contains("program-\(first)") == true)
    #expect(texts[0].last?.contains("program-\(second)") == false)
    #expect(texts[1].last?.contains("id=\"live-gauges\"") == true)
    #expect(texts[1].allSatisfy { $0.hasSuffix("\n\n") && !$0.dropLast(2).contains("\n\n") })
    // Whoever shows the program's page has seen its events.
    #expect(test.desk.programs.programs.unread == 0)
  }

  @Test func disconnectsASlowReader() async throws {
    let test = try TestDesk()
    let feed = test.desk.programs.feed
    let idle = try feed.listen(nil, isSlow: false)
    for number in 0..<40 {
      _ = await test.push(first, pushText(load: Double(number) / 100))
      feed.turn(.now)
    }
    #expect(feed.listeners.count == 0 && feed.listeners.givenUp == 1)
    #expect(await Self.heard(idle).count == 16)
    for await _ in idle.end {}
    #expect(test.desk.programs.metrics.contains("crashsym_desk_live_given_up_total 1\n"))
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "{{{body}}}{{> layout}}", "\u{202E}\u{1B}[31m\u{0}",
    "a\ndata: b\n\nevent: parts\ndata: <b>",
  ])
  func escapesHostileTexts(text: String) async throws {
    let test = try TestDesk()
    let hostile = pushText(program: text, load: 0.9, events: [(number: 1, state: "critical")], metric: text)
    #expect(await test.push(first, hostile).status.code == 200)
    let events = try test.desk.programs.feed.listen(first, isSlow: false)
    var iterator = events.texts.makeAsyncIterator()
    let heard = await iterator.next() ?? ""
    #expect(!heard.dropLast(2).contains("\n\n"))
    for page in [
      await test.answer("GET", "/live").text, await test.answer("GET", "/live/\(first)").text, heard,
    ] {
      let lower = page.lowercased()
      for tag in ["<script>", "<img", "<b>", "\u{1B}", "\u{202E}", "\u{0}"] { #expect(!lower.contains(tag), "\(tag)") }
    }
  }
}
