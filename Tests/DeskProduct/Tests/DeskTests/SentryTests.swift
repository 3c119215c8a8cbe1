import CrashReportModel
import Foundation
import Testing

@testable import DeskServer
@testable import DeskStore

/// An event as Sentry's client for Python sends it.
func pythonEvent(
  _ id: String = "485f4b1948c24180bb5b6245072c9356", function: String = "price", type: String = "ValueError",
  folder: String = "/srv/api"
) -> String {
  """
  {"level":"error","exception":{"values":[\
  {"type":"KeyError","value":"'x'","module":null,"stacktrace":{"frames":[{"function":"look","filename":"a.py"}]}},\
  {"mechanism":{"type":"generic","handled":true},"module":null,"type":"\(type)","value":"no such order",\
  "stacktrace":{"frames":[\
  {"filename":"app.py","abs_path":"\(folder)/app.py","function":"<module>","module":"__main__","lineno":14,"in_app":true},\
  {"filename":"site-packages/lib.py","abs_path":"\(folder)/site-packages/lib.py","function":"call","lineno":9,"in_app":false},\
  {"filename":"book.py","abs_path":"\(folder)/book.py","function":"\(function)","lineno":3,"vars":{"x":"0"},"in_app":true}]}}]},\
  "event_id":"\(id)","timestamp":"2026-11-27T09:04:04.167972Z","contexts":{"runtime":{"name":"CPython","version":"3.11.7"}},\
  "tags":{"region":"eu"},"breadcrumbs":{"values":[{"category":"db","message":"asked","level":"info","timestamp":1764237600.5}]},\
  "release":"shop@1.2+3","environment":"prod","server_name":"web-7","platform":"python"}
  """
}

/// An event as a client for native code sends it.
let nativeEvent = """
  {"event_id":"485f4b19-48c2-4180-bb5b-6245072c9357","platform":"native","timestamp":1764237600,"release":"1.0",
  "exception":{"values":[{"type":"SIGSEGV","value":"no such page","thread_id":7,"mechanism":{"type":"signalhandler",
  "handled":false,"meta":{"signal":{"number":11,"name":"SIGSEGV","code":1,"code_name":"SEGV_MAPERR"}}},
  "stacktrace":{"frames":[{"instruction_addr":"0x400100","function":"main","package":"/srv/api"},
  {"instruction_addr":"0x400200","function":"book_price(int)","raw_function":"_Z10book_pricei","package":"/srv/api"}]}}]},
  "threads":{"values":[{"id":8,"name":"pool"},{"id":7,"name":"worker","crashed":true}]},
  "tags":[["site","berlin"],["broken"]],"debug_meta":{"images":[{"type":"elf","code_file":"/srv/api","image_addr":"0x400000",
  "image_size":65536,"code_id":"0123456789ABCDEF0123456789ABCDEF01234567","arch":"x86_64"}]}}
  """

func envelope(_ items: [(header: String, payload: String)], header: String = "{}") -> String {
  header + "\n" + items.map { "\($0.header)\n\($0.payload)\n" }.joined()
}

extension TestDesk {
  func sendEnvelope(
    _ text: String, _ headers: [String: String] = [:], target: String = "/api/7/envelope/"
  ) async -> DeskAnswer {
    let type = ["Content-Type": "application/x-sentry-envelope"]
    return await answer("POST", target, text, type.merging(headers) { $1 })
  }

  func sendEvent(_ event: String) async -> DeskAnswer {
    await sendEnvelope(envelope([(#"{"type":"event","length":\#(event.utf8.count)}"#, event)]))
  }

  fileprivate func report(_ answer: DeskAnswer) throws -> StoredReport {
    let id = try #require(answer.field("page").flatMap { ReportID($0.dropFirst(9)) })
    return try #require(try store.report(id))
  }
}

struct SentryTests {
  @Test func takesAnEventOfPython() async throws {
    let test = try TestDesk()
    let answer = await test.sendEvent(pythonEvent())
    #expect(answer.status.code == 200 && answer.field("id") == "485f4b1948c24180bb5b6245072c9356")
    let report = try test.report(answer)
    #expect(report.title == "error ValueError in price (book.py)")
    #expect(report.program == "shop" && report.version == "1.2 (build 3)" && report.host == "web-7")
    #expect(report.time.text == "2026-11-27T09:04:04.167972Z")
    #expect(await test.sendEvent(pythonEvent()).field("status") == "known")
    let again = try test.report(await test.sendEvent(pythonEvent("00000000000000000000000000000001", folder: "/opt")))
    #expect(again.fingerprint == report.fingerprint)
    let other = try test.report(
      await test.sendEvent(pythonEvent("00000000000000000000000000000002", function: "total")))
    #expect(other.fingerprint != report.fingerprint)
    let page = await test.answer("GET", "/reports/\(report.id.text)").text
    for shown in ["price", "book.py:3", "no such order", "after KeyError", "asked", "region", "prod", "CPython 3.11.7"]
    {
      #expect(page.contains(shown), "\(shown)")
    }
    let raw = await test.answer("GET", "/reports/\(report.id.text)/raw.json").text
    #expect(raw.contains(pythonEvent()))
    #expect(await test.answer("GET", "/?q=price&state=all").text.contains(report.fingerprint))
  }

  @Test func takesAnEventOfNativeCode() async throws {
    let test = try TestDesk()
    let answer = await test.answer("POST", "/api/native/store/", nativeEvent, ["Content-Type": "application/json"])
    let report = try test.report(answer)
    #expect(report.title == "memory access in book_price")
    #expect(report.fingerprint.hasPrefix("2-") && report.program == "native" && report.version == "1.0")
    let bytes = try #require(try test.store.bytes(of: report.id))
    let read = try #require(StoredSentryEvent(stored: bytes))
    let made = SentryReport(read).report
    #expect(made.signal?.codeName == "SEGV_MAPERR" && made.architecture == "x86_64")
    #expect(made.threads?.map(\.name) == ["worker", "pool"] && made.threads?.first?.crashed == true)
    #expect(made.threads?.first?.frames?.map(\.kind) == [.programCounter, .returnAddress])
    let image = try #require(made.images?.first)
    #expect(image.buildID == "0123456789abcdef0123456789abcdef01234567" && image.endOfText == Address(0x41_0000))
    #expect(made.attributes?["site"] == "berlin".json)
  }

  @Test func groupsMessagesByTheirTemplate() async throws {
    let test = try TestDesk()
    func fingerprint(_ id: Int, _ template: String, _ name: String) async throws -> String {
      let id = String(repeating: "0", count: 31) + "\(id)"
      let text = template.replacing("%s", with: name)
      return try test.report(
        await test.sendEvent(#"{"event_id":"\#(id)","logentry":{"message":"\#(template)","formatted":"\#(text)"}}"#)
      ).fingerprint
    }
    let first = try await fingerprint(1, "lost: %s", "a")
    #expect(try await fingerprint(2, "lost: %s", "b") == first)
    #expect(try await fingerprint(3, "found: %s", "a") != first)
  }

  @Test func leavesOutItemsThatAreNotEvents() async throws {
    let test = try TestDesk()
    let answer = await test.sendEnvelope(
      envelope([
        (#"{"type":"session"}"#, "{}"), (#"{"type":"event"}"#, pythonEvent()), (#"{"type":"event"}"#, pythonEvent()),
        (#"{"type":"attachment","length":5}"#, "a\nb\nc"), (#"{"type":"my-own"}"#, "{}"),
      ]))
    #expect(answer.status.code == 200 && answer.field("status") == "new" && answer.field("reason") != nil)
    let metrics = await test.answer("GET", "/metrics").text
    for type in ["session", "event", "attachment", "other"] {
      #expect(metrics.contains("crashsym_desk_sentry_dropped_total{type=\"\(type)\"} 1\n"), "\(type)")
    }
    #expect(try test.store.totals(now: .now).reports == 1)
    let none = await test.sendEnvelope(envelope([(#"{"type":"transaction"}"#, "{}")]))
    #expect(none.status.code == 200 && none.field("status") == nil)
  }

  @Test func unpacksGzipAndDeflate() async throws {
    let test = try TestDesk()
    let text = Array(envelope([(#"{"type":"event"}"#, pythonEvent())]).utf8)
    let type = ["Content-Type": "application/x-sentry-envelope"]
    func send(_ bytes: [UInt8], _ encoding: String) async -> DeskAnswer {
      let headers = type.merging(["Content-Encoding": encoding]) { $1 }
      return await test.answer("POST", "/api/7/envelope/", bytes: bytes, headers)
    }
    #expect(await send(try gzipped(text), "gzip").field("status") == "new")
    // zlib's form around the same packed bytes; its sum is Adler's.
    let packed = try gzipped(text)
    // 10 bytes and the file's name with its end stand before.
    let start = 10 + (packed[3] & 8 == 0 ? 0 : packed[10...].prefix { $0 != 0 }.count + 1)
    let sum = text.reduce((1, 0)) { sum, byte in
      let first = (sum.0 + Int(byte)) % 65521
      return (first, (sum.1 + first) % 65521)
    }
    let adler = [sum.1 >> 8, sum.1 & 255, sum.0 >> 8, sum.0 & 255].map(UInt8.init)
    let deflated = [0x78, 0x9C] + packed[start..<(packed.count - 8)] + adler
    #expect(await send(Array(deflated), "deflate").field("status") == "known")
    #expect(await send(Array(deflated.dropLast(5)), "deflate").status.code == 400)
    #expect(await send(text, "br").status.code == 415)
  }

  @Test(arguments: [
    ("", 400), ("no JSON\n", 400), ("{}\n{}\n{}", 400), ("{}\n{\"type\":\"event\",\"length\":99}\n{}", 400),
    ("{}\n{\"type\":\"event\",\"length\":-1}\n{}", 400), ("{}\n{\"type\":\"event\"}\n[]", 422),
    ("{}\n{\"type\":\"event\"}\n{\"a\":", 422),
  ])
  func refusesABodyThatIsNotAnEnvelope(text: String, status: Int) async throws {
    let test = try TestDesk()
    let answer = await test.sendEnvelope(text)
    #expect(answer.status.code == status && answer.field("error") != nil)
    #expect(try test.store.totals(now: .now).reports == 0)
  }

  @Test func refusesOtherTypesProjectsAndPaths() async throws {
    let test = try TestDesk()
    let text = envelope([(#"{"type":"event"}"#, pythonEvent())])
    #expect(await test.sendEnvelope(text, ["Content-Type": "text/plain"]).status.code == 415)
    #expect(await test.sendEnvelope(text, target: "/api/a%20b/envelope/").status.code == 404)
    #expect(await test.sendEnvelope(text, target: "/api/7/minidump/").status.code == 404)
  }

  @Test func wantsATokenAsTheKey() async throws {
    let test = try TestDesk()
    let token = try test.tokens.make("api")
    func text(_ header: String = "{}") -> String { envelope([(#"{"type":"event"}"#, pythonEvent())], header: header) }
    func status(_ answer: DeskAnswer) -> Int { answer.status.code }
    #expect(status(await test.sendEnvelope(text())) == 401)
    let wrong = "Sentry sentry_version=7, sentry_key=\(token)0, sentry_client=a/1"
    #expect(status(await test.sendEnvelope(text(), ["X-Sentry-Auth": wrong])) == 401)
    #expect(status(await test.sendEnvelope(text(#"{"dsn":"http://\#(token)0@127.0.0.1/7"}"#))) == 401)
    #expect(try test.store.totals(now: .now).reports == 0)
    let auth = "Sentry sentry_key=\(token), sentry_version=7, sentry_client=a/1"
    #expect(status(await test.sendEnvelope(text(), ["X-Sentry-Auth": auth])) == 200)
    #expect(status(await test.sendEnvelope(text(), target: "/api/7/envelope/?sentry_key=\(token)")) == 200)
    #expect(status(await test.sendEnvelope(text(#"{"dsn":"http://\#(token)@127.0.0.1/7"}"#))) == 200)
  }

  /// Wherever a value is of another kind, or a number is out of range, the report has less, and that is all.
  @Test func readsHostileEvents() throws {
    let hostile: [JSONValue] = [
      .null, .bool(true), .number("1e308"), .number("-9223372036854775808"), .number("18446744073709551615"),
      .string("<script>"), .string(""), .array([.array([]), .null]), JSONObject().json,
    ]
    let describer = ReportDescriber(.init(options: .init(debugDirectories: [])))
    for text in [pythonEvent(), nativeEvent] {
      let event = try JSONParser.parse(Array(text.utf8)).object.json
      for other in hostile {
        for value in event.variants(with: other) {
          guard case .object = value else { continue }
          let stored = try StoredSentryEvent(Array(value.text.utf8)[...], project: "7")
          let report = try describer.describe(ReportID(of: stored.bytes), stored.bytes)
          #expect(!report.title.isEmpty)
        }
      }
    }
  }
}
